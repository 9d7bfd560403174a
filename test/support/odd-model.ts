/** A scripted model that behaves as the prompt specifies: `case <name>.` */
import { type FakeReply, piecesOf, type RecordedRequest, refuse, say, silent, stream } from './fake-providers.ts';

export const kinds = ['openai', 'anthropic'] as const;
export type Kind = (typeof kinds)[number];

export const nameOf = ({ body }: RecordedRequest): string => /case ([^.]*)\./.exec(JSON.stringify(body))?.[1] ?? '';

/**
 * Returns the model: streams to be aborted never end, retries fail once, and tools are called before their results
 * arrive.
 */
export const modelOf = (kind: Kind) => {
  const asked = new Map<string, number>();
  return (request: RecordedRequest): FakeReply => {
    const name = nameOf(request);
    const words = JSON.stringify(request.body);
    const times = (asked.get(name) ?? 0) + 1;
    asked.set(name, times);
    if (name.endsWith('abort')) {
      const begun = piecesOf(kind, { text: ['Hel', 'lo'] }).slice(0, kind === 'openai' ? 2 : 4);
      return stream([...begun, new Promise<void>(() => {})]);
    }
    if (name.endsWith('retries') && times === 1) return refuse(kind, 503, 'busy', { 'retry-after': '0' });
    if (name.endsWith('time-out')) return silent;
    if (name.includes('tool') && !/"tool_result"|"role":"tool"/.test(words)) {
      const [tool, cities] = name.includes('picture') ? ['picture', ['Oslo']] : ['weather', ['Oslo', 'Bergen']];
      return say('', {
        toolCalls: (cities as string[]).map((city, at) => ({ id: `call_${at}`, name: String(tool), input: { city } })),
      });
    }
    return name.endsWith('as json') ? say('{"city":"Oslo"}') : say(['Hel', 'lo']);
  };
};
