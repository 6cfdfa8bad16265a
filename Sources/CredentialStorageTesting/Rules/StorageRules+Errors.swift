internal import CredentialStorage
internal import FoundationEssentials

extension StorageRules {
    static let errors: [Rule] = [
        Rule("no error shows a name or a value in any rendering") { context in
            let store = context.store
            let canary = Canary()
            var errors = ThrownErrors()
            let badNames = [canary.name + "\u{0}", canary.name + String(repeating: "x", count: EntryKey.maximumLength)]
            for name in badNames {
                errors.provoke { try store.get(name) }
                errors.provoke { try store.string(forKey: name) }
                errors.provoke { try store.withSecret(forKey: name) { _ in } }
                errors.provoke { try store.set(canary.value, forKey: name) }
                errors.provoke { try store.set(canary.text, forKey: name) }
                errors.provoke { try store.setSecret(canary.value.span, forKey: name) }
                errors.provoke { try store.delete(name) }
            }
            try require(errors.all.count == 14, "an invalid name was taken")
            if let limit = context.settings.valueLimit {
                let large = canary.value + Data(count: limit)
                errors.provoke { try store.set(large, forKey: canary.name) }
                errors.provoke { try store.setSecret(large.span, forKey: canary.name) }
                try require(errors.all.count == 16, "a value over the limit was taken")
            }
            try store.set(canary.value + Data([0xFF]), forKey: canary.name)
            errors.provoke { try store.string(forKey: canary.name) }
            try store.set(canary.value, forKey: canary.name + Samples.composed)
            try store.set(canary.value, forKey: canary.name + Samples.decomposed)
            errors.provoke { try store.getAll() }
            for error in errors.all {
                let forms = canary.leaks(in: error)
                try require(forms.isEmpty, "an error shows a name or a value (\(forms.joined(separator: ", ")))")
            }
        },
        Rule("no listing shows a value where it is printed") { context in
            let canary = Canary()
            try context.store.set(canary.value, forKey: canary.name)
            let forms = try canary.leaks(in: context.store.readAll())
            try require(forms.isEmpty, "a bulk read prints a name or a value (\(forms.joined(separator: ", ")))")
        },
    ]
}

/// Keeps what calls throw, to look at it later.
private struct ThrownErrors {
    var all: [any Error] = []

    mutating func provoke<R>(_ body: () throws -> R) {
        let result = Result { try body() }
        if case .failure(let error) = result { all.append(error) }
    }
}
