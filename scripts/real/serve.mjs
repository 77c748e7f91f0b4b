import http from "node:http";

/**
 * Starts a server on this machine. A request that breaks off, because the service is killed while it sends
 * it, ends only its own connection.
 */
export function serve(port, handle, onListening) {
  const server = http.createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy());
  });
  server.listen(port, "127.0.0.1", onListening);
}
