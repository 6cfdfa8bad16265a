import AppGantrySDK
import FoundationEssentials
import Glibc

// Shows one prompt on the standard terminal and prints how it ended: `ended: OUTCOME, install N, later N`.
// Words: mandatory, no-later, crash, exit, and name=, version=, build=, notes=, icon= with a path for the last two.

var parts: [Substring: String] = [:]
var words: Set<String> = []
for argument in CommandLine.arguments.dropFirst() {
    let pair = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if pair.count == 2 { parts[pair[0]] = String(pair[1]) } else { words.insert(argument) }
}

func contents(_ path: String?) throws -> Data? { try path.map { try Data(contentsOf: URL(fileURLWithPath: $0)) } }

let content = UpdatePromptContent(
    appName: parts["name"] ?? "Example App",
    versionName: parts["version"],
    buildNumber: parts["build"].flatMap { Int($0) },
    releaseNotes: try contents(parts["notes"]).map { String(decoding: $0, as: UTF8.self) },
    isMandatory: words.contains("mandatory"),
    iconData: try contents(parts["icon"])
)

var (installs, laters) = (0, 0)
let view = UpdatePromptView(
    content: content, onInstall: { installs += 1 }, onLater: words.contains("no-later") ? nil : { laters += 1 })

// Ways out that go past the prompt.
if words.contains("exit") { signal(SIGUSR2) { _ in exit(7) } }
if words.contains("crash") { signal(SIGUSR2) { _ in abort() } }
if words.contains("handles-interrupt") { signal(SIGINT) { _ in _ = unsafe write(STDERR_FILENO, "handled\n", 8) } }

let outcome = await view.present()
print("ended: \(outcome), install \(installs), later \(laters)")
