internal import Foundation
internal import Glibc

/// Tells whether this process was built with a sanitizer that changes what can be tested.
package enum Sanitizer {
    /// Whether the thread sanitizer is part of this process: everything is about ten times slower.
    package static let isThreadSanitizer = unsafe dlsym(nil, "__tsan_init") != nil
    /// Whether a sanitizer is part of this process that maps terabytes and ends it where it cannot.
    package static let mapsEverything = unsafe isThreadSanitizer || dlsym(nil, "__asan_init") != nil
    /// What a program needs whose environment is made from nothing, so that its sanitizer knows what this one does.
    package static let variables = ProcessInfo.processInfo.environment.filter {
        ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"].contains($0.key)
    }
}
