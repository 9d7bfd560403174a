/**
 * Compares the address used for the decision with the one that Node's client connects to: host, port and path agree for
 * every spelling, or the address is unclear.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import fc from 'fast-check';
import * as z from 'zod';
import { type Address, readAddress } from '#core/effects/http/address.ts';
import { runs } from '../support/extent.ts';
import { readCases, texts } from '../support/yaml.ts';

interface Seen {
  host?: string;
  port?: string;
  hostHeader?: string | undefined;
  path?: string | undefined;
}

let server: Server;
let seen: Seen;
const originalConnect = net.connect.bind(net);

beforeAll(async () => {
  server = createServer((request: IncomingMessage, response) => {
    seen.hostHeader = request.headers.host;
    seen.path = request.url;
    response.writeHead(204, { connection: 'close' }).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const noted = (options: unknown): void => {
    const { host, hostname, port: to } = options as { host?: string; hostname?: string; port?: number | string };
    seen.host = host ?? hostname ?? '';
    seen.port = String(to);
  };
  jest.spyOn(net, 'connect').mockImplementation(((options: unknown) => {
    noted(options);
    return originalConnect({ host: '127.0.0.1', port });
  }) as typeof net.connect);
  jest.spyOn(tls, 'connect').mockImplementation(((options: unknown) => {
    noted(options);
    throw new Error('noted');
  }) as typeof tls.connect);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await new Promise((closed) => server.close(closed));
});

/** Returns the address that `fetch` connects to for a string, or undefined if it refuses. */
async function wentTo(text: string): Promise<Seen | undefined> {
  seen = {};
  await fetch(text, { redirect: 'error' }).catch(() => undefined);
  return seen.host === undefined ? undefined : seen;
}

const unbracketed = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/(?<=[^.])\.+$/, '');
/** Decodes escapes of unreserved characters, which RFC 3986 treats as the characters themselves. */
const unescaped = (text: string): string =>
  text.replace(/%[0-9a-f]{2}/gi, (written) => {
    const char = String.fromCharCode(Number.parseInt(written.slice(1), 16));
    return /[\w.~-]/.test(char) ? char : written.toUpperCase();
  });

function compare(text: string, address: Address, went: Seen): void {
  expect([text, unbracketed(went.host!)]).toEqual([text, unbracketed(address.host)]);
  expect([text, went.port || (address.scheme === 'https' ? '443' : '80')]).toEqual([text, address.port]);
  if (went.path === undefined) return;
  // A question mark with nothing after it requests the same page.
  expect([text, unescaped(went.path).replace(/^([^?]*)\?$/, '$1')]).toEqual([text, address.path + address.query]);
  expect([text, unbracketed(went.hostHeader!.replace(/:\d+$/, ''))]).toEqual([text, unbracketed(address.host)]);
}

/** Parts of addresses. Hosts and path segments are in groups that are picked equally often. */
const parts = readCases(
  'test/differential/url.yaml',
  z.strictObject({
    hosts: z.array(texts),
    pieces: z.array(texts),
    queries: texts,
    users: texts,
    ports: texts,
    fragments: texts,
    schemes: texts,
  }),
);
const of = (...items: readonly string[]) => fc.constantFrom(...items);
const host = fc.oneof(
  ...parts.hosts.map((all) => of(...all)),
  fc.domain(),
  fc.ipV4Extended(),
  fc.ipV6().map((address) => `[${address}]`),
);
const piece = fc.oneof(...parts.pieces.map((all) => of(...all)));
const path = fc
  .array(piece, { maxLength: 5 })
  .chain((list) => of('/').map((slash) => (list.length === 0 ? '' : slash + list.join(slash))));
const query = fc.oneof(
  of(...parts.queries),
  piece.map((text) => `?${text}`),
);
const url = fc
  .tuple(of(...parts.schemes), of(...parts.users), host, of(...parts.ports), path, query, of(...parts.fragments))
  .map((all) => all.join(''));

test('[effects.http] fetch connects to and requests the same address that was evaluated', async () => {
  const count = { clear: 0, unclear: 0, compared: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 4, arbitrary: url }, { weight: 1, arbitrary: fc.webUrl({ withQueryParameters: true }) }),
      async (text) => {
        const address = readAddress(text);
        const went = await wentTo(text);
        if (address.doubts.length > 0) {
          count.unclear++;
          return;
        }
        count.clear++;
        if (went === undefined) return;
        count.compared++;
        compare(text, address, went);
      },
    ),
    { seed: 20261122, numRuns: runs(2500, 800) },
  );
  console.info(`addresses: ${count.clear} clear (${count.compared} connected to), ${count.unclear} unclear`);
  expect(count.compared).toBeGreaterThan(runs(300, 100));
  expect(count.unclear).toBeGreaterThan(runs(300, 100));
});

test('[effects.http] plain addresses are unambiguous, and fetch connects to them as written', async () => {
  for (const text of [
    'http://api.example.com/v1/users?page=2#top',
    'http://API.example.com:8080/a/b;v=1',
    'http://127.0.0.1:9000/',
    'http://[2001:db8::1]:8080/x',
    'http://example.com/%7Euser/a%2Fb?q=%41',
    'https://example.com/a',
  ]) {
    const address = readAddress(text);
    expect([text, address.doubts]).toEqual([text, []]);
    const went = await wentTo(text);
    expect(went).toBeDefined();
    compare(text, address, went!);
  }
});
