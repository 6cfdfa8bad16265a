/// What a private bus allows, and which services it can start.
package struct BusPolicy: Sendable {
    /// A service that the bus starts when somebody calls its name.
    package struct Service: Sendable {
        package let name: String
        package let command: String

        package init(name: String = "org.freedesktop.secrets", command: String) {
            self.name = name
            self.command = command
        }
    }

    /// The services that can be started by a call.
    package var services: [Service] = []
    /// Names that no client may call, as behind the filter of a sandbox.
    package var denied: [String] = []
    /// Whether the bus refuses everybody.
    package var refusesConnections = false
    /// How clients prove who they are.
    package var mechanism: String

    package init(
        services: [Service] = [], denied: [String] = [], refusesConnections: Bool = false,
        mechanism: String = "EXTERNAL"
    ) {
        self.services = services
        self.denied = denied
        self.refusesConnections = refusesConnections
        self.mechanism = mechanism
    }

    func configuration(socket: String, serviceFolder: String) -> String {
        let folder = services.isEmpty ? "" : "<servicedir>\(serviceFolder)</servicedir>"
        var rules = denied.map { "<deny send_destination=\"\($0)\"/>" }.joined()
        if refusesConnections { rules += "<deny user=\"*\"/>" }
        return """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>session</type><listen>unix:path=\(socket)</listen><auth>\(mechanism)</auth>\(folder)
            <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
            <allow own="*"/>\(rules)</policy></busconfig>
            """
    }
}
