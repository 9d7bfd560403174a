/** Makes a server listen on a port. If the port is in use, the error says what to do. */
import type { Server } from 'node:net';

export function bindPort(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', (fault: NodeJS.ErrnoException) => {
      if (fault.code !== 'EADDRINUSE') return reject(fault);
      const hint = 'stop the program that uses it, or choose another port (0 = any free one)';
      return reject(new Error(`Port ${port} of ${host} is in use: ${hint}.`, { cause: fault }));
    });
    server.listen({ host, port }, resolve);
  });
}
