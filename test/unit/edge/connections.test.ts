/** Which connection ends where too many are open. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Connections } from '../../../bin/local/edge/connections.ts';

class Connection extends EventEmitter {
  destroyed = false;
  readonly remoteAddress = '198.51.100.7';
  readonly localPort = 8443;
  readonly remotePort: number;
  constructor(remotePort: number) {
    super();
    this.remotePort = remotePort;
  }
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function of(most: number) {
  const sizes: number[] = [];
  const ended: string[] = [];
  const connections = new Connections({
    most: () => most,
    changed: (open) => sizes.push(open),
    ended: (why) => ended.push(why),
  });
  let port = 0;
  const open = () => {
    const made = new Connection(++port);
    connections.opened(made as unknown as Socket);
    return made;
  };
  return { connections, open, sizes, ended };
}

test('[edge.connections] the one that has been idle longest ends, counted from the end of its last request', () => {
  const { connections, open, sizes, ended } = of(3);
  const [first, second, third] = [open(), open(), open()];
  // The TLS over a connection is another socket with the same ports.
  const over = { remoteAddress: first.remoteAddress, remotePort: first.remotePort, localPort: first.localPort };
  const [oneEnds, otherEnds] = [connections.begins(over), connections.begins(over)];
  open();
  expect([first, second, third].map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
  oneEnds();
  open();
  expect([first, third].map(({ destroyed }) => destroyed)).toEqual([false, true]);
  otherEnds();
  const [fourth, fifth] = [open(), open()];
  expect([first, fourth, fifth].map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
  open();
  expect(first.destroyed).toBe(true);
  expect([sizes.at(-1), ended]).toEqual([3, Array(5).fill('full')]);
});

test('[edge.connections] where every other is in use, the new one ends', () => {
  const { connections, open, sizes } = of(2);
  const busy = [open(), open()];
  const ends = busy.map((each) => connections.begins(each));
  expect(open().destroyed).toBe(true);
  expect([busy.map(({ destroyed }) => destroyed), sizes.at(-1)]).toEqual([[false, false], 2]);
  busy[0]!.destroy();
  for (const end of ends) end(); // after its connection has gone, too
  expect([open().destroyed, sizes.at(-1)]).toEqual([false, 2]);
});

test('[edge.connections] with room for all none ends', () => {
  const { open, ended } = of(10_000);
  for (let count = 0; count < 10_000; count++) open();
  expect(ended).toEqual([]);
});
