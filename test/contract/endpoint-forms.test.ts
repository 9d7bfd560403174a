/** Endpoints that take forms with files. */
import type { HttpEvent } from '#core/contracts/http.ts';
import { chatHandlers } from '#lambdas/handlers.ts';
import { withBytes } from '#lambdas/middleware/body.ts';
import { eventTo } from '../support/call-endpoint.ts';
import { jsonReply } from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';
import { keys } from '../support/ports.ts';
import { fake, gateway } from '../support/provider-gateway.ts';
import { post, recordsOf } from './endpoint-gateway.ts';

/** A form as a host hands it over: raw bytes. */
async function send(
  path: string,
  form: FormData | Buffer,
  { key = keys.agent, type = '', session = 'endpoints' } = {},
) {
  const made = form instanceof FormData ? new Response(form) : undefined;
  const bytes = made ? Buffer.from(await made.arrayBuffer()) : (form as Buffer);
  const headers = { 'content-type': made?.headers.get('content-type') ?? type, 'x-session-id': session };
  const event: HttpEvent = withBytes(eventTo('POST', `/v1/${path}`, { key, headers }), bytes);
  const reply = await chatHandlers(gateway.ports)['chat-completions']!(event, { awsRequestId: 'r' });
  await reply.finished;
  return { status: reply.statusCode, body: JSON.parse(reply.body as string) as Loose };
}
function formOf(fields: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}
const wav = () =>
  new File([Buffer.from([0x52, 0x49, 0x46, 0x46, 0, 255, 254, 128])], 'talk.wav', { type: 'audio/wav' });
const forms = ['audio/transcriptions', 'audio/translations', 'images/edits'] as const;
describe('[passthrough.forms]', () => {
  test.each(forms)('/v1/%s sends the file on, bytes and all, and its fields redacted', async (path) => {
    fake.answers(jsonReply({ text: 'heard', data: [{ b64_json: 'AAAA' }] }));
    const file = path === 'images/edits' ? 'image' : 'file';
    const session = `f-${path.replace('/', '.')}`;
    const form = formOf({ [file]: wav(), model: 'theirs-1', prompt: 'by ann@example.com', temperature: '0.2' });
    const { status, body } = await send(path, form, { session });
    expect({ status, body }).toMatchObject({ status: 200 });
    const sent = await fake.request();
    expect(sent.path).toBe(`/v1/${path}`);
    expect(sent.body).toMatchObject({
      model: 'theirs-1',
      temperature: '0.2',
      [file]: {
        name: 'talk.wav',
        type: 'audio/wav',
        base64: Buffer.from(await wav().arrayBuffer()).toString('base64'),
      },
    });
    expect(sent.body.prompt).not.toContain('ann@');
    expect(Object.keys(sent.body).sort()).toEqual([file, 'model', 'prompt', 'temperature'].sort());
    expect(await recordsOf(session)).toMatchObject([{ operation: path.replace('/', '.'), outcome: 'completed' }]);
  });

  test('two files of one name have two digests in the evidence', async () => {
    const talk = (byte: number) => new File([Buffer.from([byte])], 'talk.wav', { type: 'audio/wav' });
    for (const byte of [1, 2, 1])
      await send('audio/transcriptions', formOf({ file: talk(byte), model: 'mock' }), { session: 'digests' });
    const digests = (await recordsOf('digests')).map(({ request_sha256 }) => request_sha256);
    expect(new Set(digests).size).toBe(2);
  });

  test('a transcript is filtered, and its segments go when it changes', async () => {
    fake.answers(jsonReply({ text: 'ask eve@example.com', segments: [{ text: 'ask eve@' }, { text: 'example.com' }] }));
    const { body } = await send('audio/transcriptions', formOf({ file: wav(), model: 'theirs-1' }));
    expect(body.text).toMatch(/^ask /);
    expect(JSON.stringify(body)).not.toMatch(/eve@/);
  });

  test.each([
    ['a blocked word in a field', formOf({ file: wav(), model: 'mock', prompt: 'project bluebird' }), 403],
    ['a blocked word in a file name', formOf({ file: new File(['x'], 'project bluebird.wav'), model: 'mock' }), 403],
    ['a model the tenant may not use', formOf({ file: wav(), model: 'mock-other' }), 403, 'strict-key'],
    [
      'a body above the limit',
      formOf({ file: new File(['x'.repeat(3000)], 'a.wav'), model: 'mock' }),
      413,
      'strict-key',
    ],
    ['no model', formOf({ file: wav() }), 400],
    ['a subtitle file', formOf({ file: wav(), model: 'mock', response_format: 'srt' }), 400],
    ['a stream', formOf({ file: wav(), model: 'mock', stream: 'true' }), 400],
    ['a field that is not a word', formOf({ file: wav(), model: 'mock', ['__proto__']: 'x' }), 400],
  ] as const)('%s is refused', async (_, form, status, key: string = keys.agent) => {
    const answer = await send('audio/transcriptions', form, { key });
    expect({ status: answer.status, message: answer.body.error?.message }).toEqual({
      status,
      message: expect.stringMatching(/\w/),
    });
  });

  test('a doubled field, JSON, a broken form and a body that a host made text of are refused', async () => {
    const doubled = formOf({ file: wav(), model: 'mock' });
    doubled.append('model', 'mock-other');
    expect(await send('audio/transcriptions', doubled)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(/model is given more than once/) } },
    });
    const json = await post('audio/transcriptions', { model: 'mock' });
    expect(json).toMatchObject({
      status: 415,
      body: { error: { message: expect.stringMatching(/multipart\/form-data/) } },
    });
    const type = 'multipart/form-data; boundary=x';
    expect(await send('audio/transcriptions', Buffer.from('hello'), { type })).toMatchObject({ status: 400 });
    const event = eventTo('POST', '/v1/audio/transcriptions', {
      ...{ key: keys.agent, headers: { 'content-type': type }, raw: '--x\r\n\ufffd\ufffd' },
    });
    const mangled = await chatHandlers(gateway.ports)['chat-completions']!(event, { awsRequestId: 'r' });
    expect(mangled).toMatchObject({ statusCode: 415, body: expect.stringMatching(/itself/) });
  });
});
