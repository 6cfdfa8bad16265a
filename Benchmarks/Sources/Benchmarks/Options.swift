/// What the command line asks for.
struct Options {
    var plan = Plan()
    var only: [String] = []
    var runs = 3
    var directory: String?
    var name: String?
    var credstore: String?
    var needsSetup = true

    static let help = """
        Benchmarks [OPTION…]   measures this package beside its peers; results/ and plots/ take what it finds
          --quick              fewer sizes and shorter turns: about two minutes
          --only PART[,PART]   these parts alone: \(Part.all.map(\.name).joined(separator: ", "))
          --entries N[,N]      these numbers of entries
          --bytes B[,B]        these sizes of values
          --largest BYTES      no store with more bytes of values than this (1 GiB)
          --runs N             how often each job runs (3); figures are the medians
          --directory PATH     where the stores are made; the disk under it is measured (Benchmarks/.build)
          --name NAME          results/NAME.json, instead of full, quick or partial
          --credstore PATH     a built credstore
          --no-setup           installs nothing and builds no credstore
        """

    init(_ arguments: [String]) throws {
        var left = arguments[...]
        func value(_ option: String) throws -> String {
            guard let value = left.popFirst() else { throw Failure("\(option) needs a value") }
            return value
        }
        func numbers(_ option: String) throws -> [Int] {
            try value(option).split(separator: ",").map {
                guard let number = Int($0), number > 0 else { throw Failure("\(option) takes numbers above 0") }
                return number
            }
        }
        while let option = left.popFirst() {
            switch option {
            case "--quick": plan.isQuick = true
            case "--only": only += try value(option).split(separator: ",").map(String.init)
            case "--entries": plan.entries = try numbers(option)
            case "--bytes": plan.valueBytes = try numbers(option)
            case "--largest": plan.largestStore = try numbers(option).first ?? 0
            case "--runs": runs = try numbers(option).first ?? 0
            case "--directory": directory = try value(option)
            case "--name": name = try value(option)
            case "--credstore": credstore = try value(option)
            case "--no-setup": needsSetup = false
            default: throw Failure("unknown option \(option)\n\(Self.help)")
            }
        }
        for name in only where !Part.all.contains(where: { $0.name == name }) {
            throw Failure("there is no part \(name)\n\(Self.help)")
        }
        if let bytes = plan.valueBytes, bytes.contains(where: { $0 < 8 || $0 > 1 << 20 }) {
            throw Failure("values have 8 bytes to 1 MiB")
        }
    }

    /// Whether rows are left out that a whole run has.
    var isPartial: Bool { !only.isEmpty || plan.entries != nil || plan.valueBytes != nil }

    var resultName: String { name ?? (isPartial ? "partial" : plan.isQuick ? "quick" : "full") }
}
