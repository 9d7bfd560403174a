/** Guarantees that every kind of provider gives the gateway, over real HTTP: replies, streams, keys. */
import { piecesOf, refuse, say, stream } from '../support/fake-providers.ts';
import { key, kinds, useProviderKind } from './provider-kinds.ts';

describe.each(kinds)('$title', (each) => {
  const { type, path, keyHeader, fake: kind } = each;
  const host = useProviderKind(each);
  const { calling, faultOf, answering, dialect, textOf, eventsOf, read, secrets } = host;

  test('a response arrives in the dialect of the provider type, with its text and token counts', async () => {
    host.fake.answers(say('Hello there'));
    const reply = await calling(false);
    if (reply.type !== 'json') throw new Error('no JSON');
    expect(textOf(dialect.replyTexts(reply.body))).toBe('Hello there');
    expect(dialect.usageOf(reply.body)).toMatchObject({ input_tokens: 11, output_tokens: 7 });
    const [request] = host.fake.requests;
    expect(request).toMatchObject({ method: 'POST', path: path.json, stream: false });
    if (type !== 'bedrock') expect(request!.body.model).toBe('m-1');
  });

  test('a stream arrives in the dialect of the provider type, event by event, until its end', async () => {
    host.fake.answers(say(['Hel', 'lo ', 'thére ', '日本🙂']));
    const events = await read(await calling(true));
    expect(events.map((event) => textOf(dialect.eventTexts(event))).join('')).toBe('Hello thére 日本🙂');
    const collector = dialect.collector();
    for (const event of events) collector.add(event);
    expect(textOf(dialect.replyTexts(collector.reply()!))).toBe('Hello thére 日本🙂');
    expect(host.fake.requests[0]).toMatchObject({ path: path.stream, stream: true });
  });

  test('a tool call arrives complete with its arguments, streamed or not', async () => {
    const input = { path: 'src/été "q".ts', line: 42 };
    host.fake.answers(say([], { toolCalls: [{ id: 'call_1', name: 'read_file', input }] }));
    const reply = await calling(false);
    if (reply.type !== 'json') throw new Error('no JSON');
    const argumentsOf = (slots: readonly { readonly kind: string; readonly text: string }[]) =>
      slots
        .filter((slot) => slot.kind === 'tool_arguments')
        .map(({ text }) => text)
        .join('');
    const collector = dialect.collector();
    for (const event of await read(await calling(true))) collector.add(event);
    for (const whole of [reply.body, collector.reply()!]) {
      expect(JSON.stringify(whole)).toContain('read_file');
      const text = argumentsOf(dialect.replyTexts(whole));
      if (dialect.name === 'openai') expect(JSON.parse(text)).toEqual(input);
      else
        expect(whole.content).toContainEqual(expect.objectContaining({ type: 'tool_use', name: 'read_file', input }));
    }
  });

  test('the first event is passed on before the second has arrived', async () => {
    const rest = Promise.withResolvers<void>();
    const [first, second, ...others] = piecesOf(kind, { text: ['one', 'two'] });
    // Some kinds start with an event without content.
    host.fake.answers(stream([first!, second!, rest.promise, ...others]));
    const events = eventsOf(await calling(true))[Symbol.asyncIterator]();
    await events.next();
    rest.resolve();
    let count = 1;
    while (!(await events.next()).done) count++;
    expect(count).toBeGreaterThan(2);
  });

  test('[credential.never-shown] the key is read at call time, sent the way the provider type requires, and sent nowhere else', async () => {
    host.fake.answers(say());
    const reply = await calling(false);
    const [request] = host.fake.requests;
    expect(request!.headers[keyHeader[0]]).toBe(keyHeader[1]);
    expect(JSON.stringify(request!.body)).not.toContain(key);
    expect(JSON.stringify(reply)).not.toContain(key);
    secrets.set('PROVIDER_KEY', 'another-key\n');
    await calling(false);
    secrets.set('PROVIDER_KEY', key);
    expect(host.fake.requests[1]!.headers[keyHeader[0]]).toBe(keyHeader[1].replace(key, 'another-key'));
  });

  test('[credential.never-shown] a key that the provider echoes is redacted everywhere', async () => {
    const told = await answering(refuse(kind, 400, `bad key ${key} in request`));
    expect(told.shown).toBe('bad key [withheld] in request');
    const logged = await answering(refuse(kind, 503, `key ${key} is overloaded`));
    expect(logged.message).toContain('overloaded');
    for (const fault of [told, logged]) expect(`${fault.message} ${fault.stack}`).not.toContain(key);
  });

  test('[credential.never-shown] an ordinary word used as a key is not redacted from text', async () => {
    secrets.set('PROVIDER_KEY', 'bad');
    const told = await answering(refuse(kind, 400, 'bad request'));
    secrets.set('PROVIDER_KEY', key);
    expect(told.shown).toBe('bad request');
  });

  test('an entry without its secret is unavailable, and so is a disabled entry', async () => {
    await expect(faultOf(calling(false, {}, { api_key_env: 'NO_SUCH_KEY' }))).resolves.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('NO_SUCH_KEY'),
    });
    await expect(faultOf(calling(false, {}, { enabled: false }))).resolves.toMatchObject({ kind: 'unavailable' });
  });

  test('trace headers are passed on', async () => {
    if (type === 'bedrock') return; // signed by the SDK, which adds its own trace headers
    host.fake.answers(say());
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await calling(false, { headers: { traceparent, tracestate: 'a=b', cookie: 'secret=1' } });
    expect(host.fake.requests[0]!.headers).toMatchObject({ traceparent, tracestate: 'a=b' });
    expect(host.fake.requests[0]!.headers).not.toHaveProperty('cookie');
  });
});
