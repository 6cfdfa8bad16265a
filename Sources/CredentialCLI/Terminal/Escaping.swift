extension String {
    /// The text with control characters, and the backslashes that mark them, escaped.
    ///
    /// A name that holds them can move the cursor or rewrite what stands above, and these are bytes of others.
    package func escapingControls() -> String {
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.properties.generalCategory == .control:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
