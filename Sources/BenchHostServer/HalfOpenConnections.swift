import NIOCore
import Synchronization

/// The connections whose first request has not begun. There are few of them at a time, and each has
/// little time, so that clients that send no request keep no other from being served.
final class HalfOpenConnections: Sendable {
    private let limit: Int
    private let time: TimeAmount
    /// The oldest first.
    private let open = Mutex<[any Channel]>([])

    init(limit: Int, time: Duration) {
        self.limit = limit
        self.time = TimeAmount(time)
    }

    /// Closes the oldest if there are too many.
    fileprivate func add(_ channel: any Channel) -> Scheduled<Void> {
        let oldest = open.withLock { open in
            open.append(channel)
            return open.count > limit ? open.removeFirst() : nil
        }
        oldest?.close(promise: nil)
        return channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    fileprivate func remove(_ channel: any Channel) {
        open.withLock { open in open.removeAll { $0 === channel } }
    }

    /// Watches one connection. It stands behind the decoder, where the first thing that comes in is
    /// the head of a request.
    func handler() -> any RemovableChannelHandler { Watch(self) }

    /// Used on the event loop of its channel only.
    private final class Watch: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
        typealias InboundIn = Any

        private let connections: HalfOpenConnections
        private var timer: Scheduled<Void>?

        init(_ connections: HalfOpenConnections) { self.connections = connections }

        func handlerAdded(context: ChannelHandlerContext) { timer = connections.add(context.channel) }
        func handlerRemoved(context: ChannelHandlerContext) { end(context) }

        func channelInactive(context: ChannelHandlerContext) {
            end(context)
            context.fireChannelInactive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            end(context)
            context.fireChannelRead(data)
        }

        private func end(_ context: ChannelHandlerContext) {
            guard let timer else { return }
            timer.cancel()
            self.timer = nil
            connections.remove(context.channel)
        }
    }
}
