internal import Glibc

/// Tells whether this process was built with a sanitizer that changes what can be tested.
package enum Sanitizer {
    /// Whether the thread sanitizer is part of this process: everything is about ten times slower.
    package static let isThreadSanitizer = unsafe dlsym(nil, "__tsan_init") != nil
    /// Whether a sanitizer is part of this process that maps terabytes and ends it where it cannot.
    package static let mapsEverything = unsafe isThreadSanitizer || dlsym(nil, "__asan_init") != nil
}
