/// What several callers did to one name, and when: whether all of it can be put into one order that explains every
/// answer and in which no call comes before one that had ended when it began.
struct History {
    struct Call: Sendable {
        enum Action: Sendable, Equatable {
            case read(String?)
            case write(String)
            case delete(Bool)
            case compareAndSet(expected: String?, new: String?, Bool)
        }

        var begin: Int
        var end: Int
        var action: Action

        /// The value afterwards, or `nil` when the answer is impossible for the value before.
        func apply(to value: String?) -> String?? {
            switch action {
            case .read(let answer): answer == value ? .some(value) : nil
            case .write(let new): .some(new)
            case .delete(let wasThere): wasThere == (value != nil) ? .some(nil) : nil
            case .compareAndSet(let expected, let new, true): expected == value ? .some(new) : nil
            case .compareAndSet(let expected, _, false): expected == value ? nil : .some(value)
            }
        }
    }

    private let calls: [Call]

    init(_ calls: [Call]) { self.calls = calls.sorted { $0.begin < $1.begin } }

    /// How far a search came: everything before `first` is placed, and some of what comes after.
    private struct Place: Hashable {
        var first: Int
        var later: Set<Int>
        var value: String?
    }

    /// Whether there is such an order, beginning with no value (the search of Wing and Gong, with a memory).
    var isLinearizable: Bool {
        var seen: Set<Place> = []
        var open = [Place(first: 0, later: [], value: nil)]
        while let place = open.popLast() {
            guard place.first < calls.count else { return true }
            guard seen.insert(place).inserted else { continue }
            var earliestEnd = Int.max
            for index in place.first..<calls.count where !place.later.contains(index) {
                // Whatever begins after another call has ended comes after it.
                if calls[index].begin > earliestEnd { break }
                earliestEnd = min(earliestEnd, calls[index].end)
                guard let value = calls[index].apply(to: place.value) else { continue }
                var next = place
                next.value = value
                next.later.insert(index)
                while next.later.remove(next.first) != nil { next.first += 1 }
                open.append(next)
            }
        }
        return false
    }
}

extension History.Call {
    /// Reads a line of the helper; the second part is the name.
    static func parse(_ line: String) -> (name: String, call: History.Call)? {
        let words = line.split(separator: " ").map(String.init)
        func value(_ index: Int) -> String? { words[index] == "-" ? nil : words[index] }
        guard words.count >= 5, let begin = Int(words[0]), let end = Int(words[1]) else { return nil }
        let action: Action
        switch (words[3], words.count) {
        case ("read", 5): action = .read(value(4))
        case ("write", 5): action = .write(words[4])
        case ("delete", 5): action = .delete(words[4] == "true")
        case ("compare", 7): action = .compareAndSet(expected: value(4), new: value(5), words[6] == "true")
        default: return nil
        }
        return (words[2], History.Call(begin: begin, end: end, action: action))
    }
}
