/// The least that a Swift executable costs.
@main
struct Empty {
    static func main() {}
}
