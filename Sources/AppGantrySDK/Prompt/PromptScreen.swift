/// A prompt as the bytes that draw it.
struct PromptScreen {
    let content: UpdatePromptContent
    /// Whether the cursor can be moved; without that the content is written once, as on paper.
    let isAddressable: Bool
    var icon: TerminalIcon?

    /// How the whole screen is taken and given back.
    static let take = "\u{1B}[?1049h"
    static let giveBack = "\u{1B}[0m\u{1B}[?1049l"

    /// Draws the whole prompt, after the machine was told how much fits.
    func draw(_ machine: inout PromptMachine, on size: TerminalSize) -> [UInt8] {
        let iconRows = icon.flatMap { $0.rows(on: size) } ?? 0
        let document = PromptDocument(
            content, columns: size.columns, iconRows: iconRows == 0 ? 0 : iconRows + 1)
        var footer = self.footer(machine, size.columns)
        // Where there is little room, the choices are what must be seen.
        if footer.count + 3 > size.rows { footer = Array(labels(machine, size.columns).prefix(size.rows)) }
        let isParted = size.rows >= footer.count + 2
        let page = size.rows - footer.count - (isParted ? 1 : 0)
        machine.fit(rows: document.rows.count, page: page)
        var lines = document.rows.dropFirst(machine.offset).prefix(page).map {
            $0.isStrong ? Self.strong($0.text) : $0.text
        }
        if isParted { lines.append(machine.isMoreBelow ? String("-- more below --".prefix(size.columns)) : "") }
        var bytes = Array("\u{1B}[0m\u{1B}[H\u{1B}[2J".utf8)
        // Each row where it belongs: one that a terminal draws wider than it was counted disturbs no other.
        for (index, line) in (lines + footer).enumerated() {
            bytes += Array("\u{1B}[\(index + 1);1H\u{1B}[2K\(line)".utf8)
        }
        let isIconShown = iconRows > 0 && machine.offset == 0 && page > iconRows
        if let icon { bytes += isIconShown ? icon.placed(on: size) : icon.hidden }
        let isBeside = machine.marked == .later && isOneRow(machine, size.columns)
        let row = lines.count + (machine.marked == .later && !isBeside ? 2 : 1)
        bytes += Array("\u{1B}[\(row);\(isBeside ? 13 : 1)H".utf8)
        return bytes
    }

    /// The content once, for what is no screen; the question too, where a person can answer it.
    func printed(columns: Int, isAsking: Bool) -> [UInt8] {
        let machine = PromptMachine(isMandatory: content.isMandatory)
        var lines = PromptDocument(content, columns: columns).rows.map(\.text)
        if isAsking { lines += [""] + footer(machine, columns) }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// What a terminal that is no screen says about a key that puts nothing off.
    func refusal(_ machine: PromptMachine) -> [UInt8] {
        Array((hints(machine).joined(separator: " ") + "\n").utf8)
    }

    private func isOneRow(_ machine: PromptMachine, _ columns: Int) -> Bool {
        columns >= 22 || machine.choices.count == 1
    }

    private func labels(_ machine: PromptMachine, _ columns: Int) -> [String] {
        let choices = machine.choices.map { label($0, isMarked: $0 == machine.marked) }
        return isOneRow(machine, columns) ? [choices.joined(separator: " ")] : choices
    }

    private func footer(_ machine: PromptMachine, _ columns: Int) -> [String] {
        labels(machine, columns) + hints(machine).flatMap { TextWrapping.rows(of: $0, width: columns) }
    }

    private func hints(_ machine: PromptMachine) -> [String] {
        if machine.isRefusing { return ["This update is required. Ctrl-C again interrupts the program."] }
        return [machine.isMandatory ? "Enter or i: install" : "Enter: the marked one, i: install, l: later"]
    }

    private func label(_ choice: PromptMachine.Choice, isMarked: Bool) -> String {
        let name = choice == .install ? "Install" : "Later"
        guard isMarked else { return "  \(name)  " }
        return isAddressable ? "\u{1B}[7m[ \(name) ]\u{1B}[0m" : "[ \(name) ]"
    }

    private static func strong(_ text: String) -> String { "\u{1B}[1m\(text)\u{1B}[0m" }
}
