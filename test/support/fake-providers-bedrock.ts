/** Replies in the format of Bedrock's Converse API; streams are binary AWS event-stream messages with checksums. */
import { EventStreamCodec } from '@smithy/core/event-streams';
import { type Form, piecesOf, type Said } from './fake-providers-forms.ts';

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes as Uint8Array)),
  (text) => new TextEncoder().encode(text),
);

/** Builds an event with a name and members. */
const event = (name: string, members: object) => ({ event: { [name]: members } });

const usageOf = ({ inputTokens = 11, outputTokens = 7 }: Said) => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
});
const stopReasonOf = ({ toolCalls = [] }: Said) => (toolCalls.length > 0 ? 'tool_use' : 'end_turn');

export const bedrockForm: Form = {
  basePath: '',
  streamType: 'application/vnd.amazon.eventstream',
  isStream: (path) => path.endsWith('/converse-stream'),

  whole(said) {
    const { toolCalls = [] } = said;
    const text = piecesOf(said).join('');
    const calls = toolCalls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } }));
    return {
      output: { message: { role: 'assistant', content: [...(text === '' ? [] : [{ text }]), ...calls] } },
      stopReason: stopReasonOf(said),
      usage: usageOf(said),
      metrics: { latencyMs: 1 },
    };
  },

  streamed(said) {
    const { toolCalls = [] } = said;
    const pieces = piecesOf(said);
    const before = pieces.length > 0 ? 1 : 0;
    const texts = pieces.map((text) => event('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }));
    const calls = toolCalls.flatMap(({ id, name, input }, at) => {
      const contentBlockIndex = before + at;
      return [
        event('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId: id, name } } }),
        event('contentBlockDelta', { contentBlockIndex, delta: { toolUse: { input: JSON.stringify(input) } } }),
        event('contentBlockStop', { contentBlockIndex }),
      ];
    });
    return [
      event('messageStart', { role: 'assistant' }),
      ...texts,
      ...(before > 0 ? [event('contentBlockStop', { contentBlockIndex: 0 })] : []),
      ...calls,
      event('messageStop', { stopReason: stopReasonOf(said) }),
      event('metadata', { usage: usageOf(said), metrics: { latencyMs: 1 } }),
    ];
  },

  /** Encodes an event. Events whose names end in `Exception` are stream exceptions. */
  encode(one) {
    const [name = '', members] = Object.entries(one)[0] ?? [];
    const isException = name.endsWith('Exception');
    const header = (value: string) => ({ type: 'string' as const, value });
    return codec.encode({
      headers: {
        ':message-type': header(isException ? 'exception' : 'event'),
        [isException ? ':exception-type' : ':event-type']: header(name),
        ':content-type': header('application/json'),
      },
      body: new TextEncoder().encode(JSON.stringify(members)),
    });
  },

  error: (_status, message) => ({ message, __type: 'FakeException' }),
};
