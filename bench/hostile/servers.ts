/** Hostile lists and results from an MCP server behind the gateway: too many, too deep, endless. */
import { type HostileForm, heavy, mcp, rpc } from './forms.ts';
import { post, type Target } from './send.ts';

/** Builds a row for a listing. The server is switched to this behaviour before the row's first request. */
const listing = (kind: string, name: string, answers: readonly number[], says?: RegExp): HostileForm => ({
  ...mcp(name, () => rpc('tools/list', {}), answers, says),
  prepare: ({ server }: Target) => post({ url: `${server}/lists/${kind}`, body: '' }),
});

const answering = (kind: string, name: string, answers: readonly number[], says?: RegExp): HostileForm => ({
  ...mcp(name, () => rpc('tools/call', { name: 'notes.read_1', arguments: { kind } }), answers, says),
  prepare: ({ server }: Target) => post({ url: `${server}/lists/few`, body: '' }),
});

export const servers: readonly HostileForm[] = [
  listing('most', 'an upstream with 1,000 tools', [200], /notes\.read_999/),
  listing('many', 'an upstream with 3,000 tools', [200], /max_result_values|max_tools/),
  listing('large', 'an upstream whose tools have 1 MB of schema', [200]),
  listing('wide', 'an upstream that lists 3.9 MB of []', [200], /max_result_values/),
  listing('deep', 'an upstream whose schema has 100,000 levels', [200], /256 levels/),
  listing('huge', 'an upstream that lists 10 MB', [200], /max_result_bytes/),
  listing('endless', 'an upstream whose pages never end', [200]),
  answering('text', 'an upstream responds with 3.9 MB of text', [200]),
  answering('wide', 'an upstream responds with 3.9 MB of []', [200], /max_result_values/),
  answering('deep', 'an upstream responds with 100,000 levels', [200], /256 levels/),
  heavy(answering('secrets', 'an upstream responds with 100,000 secrets', [200])),
  answering('huge', 'an upstream responds with 10 MB', [200], /max_result_bytes/),
  heavy(answering('events', 'an upstream streams 40,000 notifications', [200])),
];
