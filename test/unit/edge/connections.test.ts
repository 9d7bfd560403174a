/** Which connection is closed when too many are open. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Connections } from '../../../bin/local/connections.ts';

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
  const letIn = (over: Parameters<Connections['carries']>[0]) => {
    const carried = connections.carries(over);
    carried.letIn();
    return carried.over;
  };
  return { connections, open, letIn, sizes, ended };
}
const destroyed = (all: readonly Connection[]) => all.map((each) => each.destroyed);

test('[edge.hostile] of the connections without a request, the longest-waiting one is closed first, and those that served a request come last', () => {
  const { letIn, open, sizes, ended } = of(3);
  const [first, second, third] = [open(), open(), open()];
  // The TLS socket over a connection is a separate object with the same ports.
  const over = { remoteAddress: first.remoteAddress, remotePort: first.remotePort, localPort: first.localPort };
  const [oneEnds, otherEnds] = [letIn(over), letIn(over)];
  open();
  expect([first, second, third].map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
  oneEnds();
  open();
  expect([first, third].map(({ destroyed }) => destroyed)).toEqual([false, true]);
  otherEnds();
  const [fourth, fifth] = [open(), open()];
  expect([first, fourth, fifth].map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
  open();
  expect(destroyed([first, fourth, fifth])).toEqual([false, true, false]);
  expect([sizes.at(-1), ended]).toEqual([3, Array(5).fill('full')]);
});

test('[edge.hostile] a new connection is closed if all others are in use', () => {
  const { letIn, open, sizes } = of(2);
  const busy = [open(), open()];
  const ends = busy.map(letIn);
  expect(open().destroyed).toBe(true);
  expect([busy.map(({ destroyed }) => destroyed), sizes.at(-1)]).toEqual([[false, false], 2]);
  busy[0]!.destroy();
  for (const end of ends) end(); // also after its connection is closed
  expect([open().destroyed, sizes.at(-1)]).toEqual([false, 2]);
});

test('[edge.hostile] up to the limit no connection is closed', () => {
  const { open, ended } = of(10_000);
  for (let count = 0; count < 10_000; count++) open();
  expect(ended).toEqual([]);
});

test('[http.connections] connections without an accepted request are closed first, including one whose request was rejected', () => {
  const { connections, letIn, open } = of(4);
  const kept = open();
  letIn(kept)();
  const refused = open();
  connections.carries(refused);
  const silent = [open(), open(), open()];
  expect([kept.destroyed, refused.destroyed, ...destroyed(silent)]).toEqual([false, true, false, false, false]);
});

test('[http.connections] idle used connections do not keep out a new caller: a quarter is reserved for connections that have not sent a request yet', () => {
  const { letIn, open } = of(4);
  const used = Array.from({ length: 4 }, open);
  for (const each of used) letIn(each)();
  const caller = open();
  expect([caller.destroyed, ...destroyed(used)]).toEqual([false, true, false, false, false]);
});

test('[http.connections] an accepted request keeps its connection open until it is finished', () => {
  const { letIn, open } = of(4);
  const stream = open();
  const over = letIn(stream);
  for (let flood = 0; flood < 20; flood++) open();
  expect(stream.destroyed).toBe(false);
  over();
  for (let flood = 0; flood < 20; flood++) letIn(open())();
  expect(stream.destroyed).toBe(true);
});
