/** `pending --watch` follows approval events; `--output` chooses the format. */
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { Home, type Seen, serverOf } from './support.ts';

const home = new Home();
const server = serverOf(home);
const events = 'GET /admin/v1/approvals/events';

const frame = (id: number, event: string, data: object) =>
  `id: p.${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const happened = (envelope_id: string, more: object = {}) => ({
  envelope_id,
  session_id: 's',
  at: '2026-01-01T00:00:00.000Z',
  ...more,
});
/** Sends the next of these strings on each connection, then ends it. */
function streams(...texts: readonly string[]) {
  const seen: (string | undefined)[] = [];
  server.on(events, (response: ServerResponse, { lastEventId }: Seen) => {
    const text = texts[seen.length] ?? '';
    seen.push(lastEventId);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (text === 'cut') response.destroy();
    else response.end(text);
  });
  return seen;
}
const listening = (id: number, missed = false) => frame(id, 'listening', { missed });

test('[cli.watch] prints one line per event, and resumes after the last event when the stream ends', async () => {
  const seen = streams(
    listening(0) + frame(1, 'new', happened('e-1')),
    listening(1) + frame(2, 'decided', happened('e-1', { status: 'approved' })),
  );
  const { code, out } = await home.run(['pending', '--watch', '--events', '2']);
  expect([code, out]).toEqual([
    0,
    '2026-01-01T00:00:00.000Z  new  e-1  s\n2026-01-01T00:00:00.000Z  approved  e-1  s\n',
  ]);
  expect(seen).toEqual([undefined, 'p.1']);
});

test('[cli.watch] --json prints one document per event, and reconnects when the connection breaks', async () => {
  const seen = streams(
    listening(0) + frame(1, 'new', happened('e-1')),
    'cut',
    listening(1) + frame(2, 'expired', happened('e-2')),
  );
  const { code, out, err } = await home.run(['pending', '--watch', '--events', '2', '--json']);
  expect([
    code,
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ]).toEqual([
    0,
    [
      { event: 'new', ...happened('e-1') },
      { event: 'expired', ...happened('e-2') },
    ],
  ]);
  expect(err).toContain('the gateway does not answer');
  expect(seen).toEqual([undefined, 'p.1', 'p.1']);
});

test('[approval.timeout] an event line reports an undecided request as timed out', async () => {
  streams(
    listening(0) +
      frame(1, 'expired', { ...happened('e-1'), status: 'denied' }) +
      frame(2, 'decided', { ...happened('e-2'), status: 'denied' }),
  );
  const { out } = await home.run(['pending', '--watch', '--events', '2']);
  expect(out).toMatch(/ {2}timed out {2}e-1 .*\n.* {2}denied {2}e-2 /);
});

test('[cli.watch] retries if the gateway is not ready, and reports missed events', async () => {
  let asked = 0;
  server.on(events, (response: ServerResponse) => {
    asked++;
    if (asked === 2) {
      response.writeHead(503, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ error: { code: 503, type: 'service_unavailable', message: 'not ready' } }));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return response.end(asked === 1 ? listening(0) : listening(1, true) + frame(2, 'new', happened('e-2')));
  });
  const { code, out, err } = await home.run(['pending', '--watch', '--events', '1']);
  expect([code, asked, out]).toEqual([0, 3, expect.stringContaining('e-2')]);
  expect(err).toContain('events were missed');
});

test.each([
  [['--events', '2'], 1],
  [['--events', '2', '--no-bell'], 0],
])('[cli.watch] for a new request and its decision on a terminal, %j rings the bell %i times', async (words, bells) => {
  streams(listening(0) + frame(1, 'new', happened('e-1')) + frame(2, 'decided', happened('e-1')));
  server.on('GET /admin/v1/approvals', { pending: [] });
  const terminal = home.write('screen.mjs', 'process.stdout.isTTY = true;');
  const agentctl = join(__dirname, '../../../bin/agentctl.ts');
  const line = ['--import', pathToFileURL(terminal).href, agentctl, 'pending', '--watch', ...words];
  const { code, out } = await home.node(line, { env: { TERM: 'dumb' } });
  expect([code, out.split('\u0007').length - 1]).toEqual([0, bells]);
});

describe('[cli.watch] a gateway that does not offer an event stream', () => {
  const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
  const item = (envelope_id: string, more: object = {}) => ({
    envelope_id,
    session_id: 's',
    status: 'pending',
    queued_at: at(1),
    ...more,
  });
  /** Returns the next of these pages each time the list is read. */
  const pages = (...each: readonly (readonly object[])[]) => {
    let asked = 0;
    server.on(events, { error: { type: 'method_not_allowed', message: 'GET is not offered here; list again.' } }, 405);
    server.on('GET /admin/v1/approvals', (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ pending: each[Math.min(asked++, each.length - 1)] }));
    });
  };
  const record = (id: string, more: object) => server.on(`GET /admin/v1/approvals/${id}`, item(id, more));

  test('is polled, and each change in its list is reported as an event', async () => {
    pages(
      [item('e-1'), item('e-2'), item('e-3')],
      [item('e-3', { votes: [{ person: 'ann', at: at(2) }] }), item('e-4')],
    );
    record('e-1', { status: 'consumed', approved_at: at(3) });
    record('e-2', { status: 'denied', denied_at: at(4), reason: 'timeout' });
    const { code, out, err } = await home.run(['pending', '--watch', '--events', '4', '--json']);
    expect(code).toBe(0);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { event: 'decided', envelope_id: 'e-1', session_id: 's', at: at(3), status: 'approved' },
      { event: 'expired', envelope_id: 'e-2', session_id: 's', at: at(4), status: 'denied' },
      { event: 'voted', envelope_id: 'e-3', session_id: 's', at: at(2) },
      { event: 'new', envelope_id: 'e-4', session_id: 's', at: at(1) },
    ]);
    expect(err).toContain('has no event stream');
    expect(server.seen.filter(({ path }) => path.endsWith('/events'))).toHaveLength(1);
  });

  test('pending requests missing from an outdated list are not reported as decided', async () => {
    pages([item('e-1')], [], [item('e-1'), item('e-2')]);
    record('e-1', {});
    const { code, out } = await home.run(['pending', '--watch', '--events', '1']);
    expect([code, out]).toEqual([0, `${at(1)}  new  e-2  s\n`]);
  });

  test('does not retry if the gateway refuses to return the list', async () => {
    server.on(events, { error: { type: 'method_not_allowed', message: 'list again' } }, 405);
    server.on('GET /admin/v1/approvals', { error: { type: 'forbidden', message: 'not for this key' } }, 403);
    const { code, err } = await home.run(['pending', '--watch']);
    expect([code, err]).toEqual([1, expect.stringContaining('not for this key')]);
    expect(server.seen).toHaveLength(2);
  });
});

describe('[cli.output-forms] --output', () => {
  const answer = { pending: [{ envelope_id: 'e-1', tool: 'a: b', target: 'true', note: '\u202eabc', cents: 3 }] };
  beforeEach(() => server.on('GET /admin/v1/approvals', answer));

  test('yaml prints an equivalent document', async () => {
    const { code, out } = await home.run(['pending', '--output', 'yaml']);
    expect([code, parseAllDocuments(out).map((each) => each.toJS())]).toEqual([0, [answer]]);
    expect(out).not.toContain('\u202e');
  });

  test('json prints the same output as --json, and table overrides --json', async () => {
    const [json, short, table, both] = await Promise.all(
      [['--output', 'json'], ['--json'], ['--output', 'table'], ['--json', '--output', 'table']].map((options) =>
        home.run(['pending', ...options]),
      ),
    );
    expect(JSON.parse(json!.out)).toEqual(answer);
    expect(json!.out).toBe(short!.out);
    expect(table!.out).toMatch(/^e-1/);
    expect(both!.out).toBe(table!.out);
  });

  test('preserves numbers that JavaScript cannot represent', async () => {
    server.on('GET /admin/v1/approvals', (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"pending":[],"total":12345678901234567890}');
    });
    expect((await home.run(['pending', '--output', 'yaml'])).out).toContain('total: 12345678901234567890');
  });

  test('an unknown output format causes a usage error that lists the three formats', async () => {
    const { code, err } = await home.run(['pending', '--output', 'xml']);
    expect([code, err]).toEqual([2, expect.stringContaining('table, json, yaml')]);
  });
});
