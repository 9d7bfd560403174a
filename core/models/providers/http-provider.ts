/**
 * Provider over HTTP: sends a call in the format of its provider type and reads any response, including invalid ones.
 */
import type { DialectName } from '#core/contracts/chat.ts';
import type { ProviderEntry } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import type { SecretStore, Timeouts } from '#core/kernel/ports.ts';
import { endpoints, pathOfEndpoint } from '#core/models/dialects/endpoints.ts';
import { SseFault, sseDecoder } from '#core/models/dialects/sse.ts';
import { type HttpCall, HttpFault, type HttpFaultKind, type HttpReply } from './http.ts';
import { keyOf } from './key.ts';
import { type Frame, type Frames, lineFrames, maxFrameCharacters } from './lines.ts';
import { type FaultKind, type Provider, type ProviderCall, ProviderFault, type ProviderReply } from './ports.ts';
import { readError, readRefusal, refusalFault, requestIdOf, withoutKey } from './refusal.ts';
import { BadReply, parseObject, ReportedError, refuseError, UnfitRequest } from './reply.ts';
import { type Deadline, type Events, withDeadline, withEventTimeout } from './timeouts.ts';
import type { FrameReader, Wire } from './wire.ts';

interface HttpProviderPorts {
  readonly http: HttpCall;
  readonly secrets: SecretStore;
  readonly timeouts: Timeouts;
}

/** Maximum size of a reply that is read into memory. */
const maxReplyBytes = 32 * 1024 * 1024;

export function httpProvider(
  entry: ProviderEntry,
  wire: Wire,
  { http, secrets, timeouts }: HttpProviderPorts,
): Provider {
  const { name, type, region, timeout_ms } = entry;
  const [baseUrl, query] = splitUrl(entry.base_url ?? wire.defaultBaseUrl);

  const deadline = ({ body }: HttpReply): Deadline => ({ timeouts, ms: timeout_ms, giveUp: () => body.close() });

  const post = async (url: string, key: string | undefined, body: JsonObject, call: ProviderCall) => {
    const headers = {
      'content-type': call.form?.type ?? 'application/json',
      'user-agent': 'agent-governance-gateway',
      ...traceHeaders(call.headers),
      ...wire.headers(key, call),
    };
    const { signal } = call;
    const silence = { firstByteTimeoutMs: timeout_ms, idleTimeoutMs: timeout_ms };
    const sent = call.form?.bytes ?? JSON.stringify(body);
    return accepted(await http({ url, headers, body: sent, signal, ...silence }), key);
  };

  /** Returns an accepted reply. @throws ProviderFault for a refusal, BadReply if it is not an API response. */
  const accepted = (reply: HttpReply, key: string | undefined): HttpReply | Promise<never> => {
    if (reply.status < 200 || reply.status > 299) return refused(reply, key);
    refuseForeign(reply);
    return reply;
  };

  const refused = async (reply: HttpReply, key: string | undefined): Promise<never> => {
    const cancel = timeouts.after(timeout_ms, () => reply.body.close());
    if (key !== undefined && (reply.status === 401 || reply.status === 403)) secrets.refused?.();
    throw await readRefusal(name, reply, key).finally(cancel);
  };

  const whole = async (reply: HttpReply, key: string | undefined): Promise<JsonObject> =>
    parseObject(withoutKey(await withDeadline('whole reply', reply.text(maxReplyBytes), deadline(reply)), key));

  const spoken = async (reply: HttpReply): Promise<JsonObject> => {
    const { speechOf } = await import('./speech-reply.ts');
    return withDeadline('whole reply', speechOf(reply, maxReplyBytes), deadline(reply));
  };

  const provider: Provider = {
    name,
    type,
    dialect: wire.dialect,
    region,
    address: hostAndPort(baseUrl),
    keepsResponses: entry.keeps_responses,
    ...(wire.leftOut && { leftOut: wire.leftOut }),

    async call(call): Promise<ProviderReply> {
      let id: string | undefined;
      try {
        const key = entry.api_key_env === undefined ? undefined : await keyOf(entry, secrets);
        const { path, ...form } = (call.kept && entry.keeps_responses && (await wire.responses?.())) || wire;
        const reply = await post(baseUrl + path(baseUrl) + query, key, form.body(call), call);
        id = requestIdOf(reply.headers, key);
        if (!call.stream) return { type: 'json', body: form.reply(await whole(reply, key), call) };
        if (isOneDocument(reply)) return replayed(wire.dialect, form.reply(await whole(reply, key), call));
        const frames = wire.frames === 'sse' ? sseDecoder({ maxEventBytes: maxFrameCharacters }) : lineFrames();
        const reader = form.stream(call);
        const events = streamOf(entry, call, reply, { frames, reader }, key);
        const broken = (thrown: unknown) => withId(asFault(name, thrown, call.signal, 'broken'), id);
        return {
          type: 'stream',
          events: await awaitFirstEvent(
            name,
            withEventTimeout(events, deadline(reply), broken, () => reader.complete),
          ),
        };
      } catch (thrown) {
        throw withId(asFault(name, thrown, call.signal, 'garbage'), id);
      }
    },
  };
  /** Loaded on first use, because few callers use files. */
  const files = lazyImport(async () => {
    const { filesApi } = await import('./files-api.ts');
    return filesApi({
      http,
      timeoutMs: timeout_ms,
      accepted,
      whole,
      deadline,
      key: () => keyOf(entry, secrets),
      headersOf: (key, call) => ({
        'user-agent': 'agent-governance-gateway',
        ...traceHeaders(call.headers),
        ...wire.headers(key, { ...call, model: '', body: {}, stream: false }),
      }),
      urlOf: (path) => baseUrl + path + query,
      faultOf: (thrown, signal) => asFault(name, thrown, signal, 'garbage'),
    });
  });
  const { embeddings } = wire;
  if (!embeddings) return provider;
  return {
    ...provider,
    ...(wire.files && lazyFilesApi(files)),
    async post(endpoint, call) {
      let id: string | undefined;
      try {
        const key = await keyOf(entry, secrets);
        const answered = await post(baseUrl + pathOfEndpoint(endpoint) + query, key, call.body, call);
        id = requestIdOf(answered.headers, key);
        const reply = endpoints[endpoint].speech ? await spoken(answered) : await whole(answered, key);
        refuseError(reply);
        if (!endpoints[endpoint].isReply(reply, call.body))
          throw new BadReply(`it is not a response of ${endpoint} to this request`);
        return reply;
      } catch (thrown) {
        throw withId(asFault(name, thrown, call.signal, 'garbage'), id);
      }
    },

    async embed(model, texts, signal) {
      const call: ProviderCall = { model, body: {}, stream: false, headers: {}, signal };
      try {
        const key = await keyOf(entry, secrets);
        const reply = await post(baseUrl + embeddings.path + query, key, embeddings.body(model, texts), call);
        return embeddings.vectors(await whole(reply, key), texts.length);
      } catch (thrown) {
        throw asFault(name, thrown, signal, 'garbage');
      }
    },
  };
}

type FilesApi = Required<Pick<Provider, 'resource' | 'download'>>;

const lazyFilesApi = (load: () => FilesApi | Promise<FilesApi>): FilesApi => ({
  resource: async (call) => (await load()).resource(call),
  download: async (call) => (await load()).download(call),
});

/** Splits off the query, in which some servers expect their API version. */
function splitUrl(url: string): [base: string, query: string] {
  const { origin, pathname, search } = new URL(url);
  return [origin + pathname.replace(/\/+$/, ''), search];
}

export function hostAndPort(url: string): { host: string; port: number } {
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
}

/** Returns the caller's headers that are forwarded to every provider. */
const traceHeaders = ({ traceparent, tracestate }: Readonly<Record<string, string>>): Record<string, string> =>
  traceparent === undefined ? {} : { traceparent, ...(tracestate !== undefined && { tracestate }) };

/** Refuses HTML pages from an intermediate proxy, and encoded bytes that were not requested. */
function refuseForeign({ headers, body }: HttpReply): void {
  const type = headers['content-type'] ?? '';
  const encoding = headers['content-encoding'] ?? 'identity';
  if (!type.startsWith('text/html') && encoding === 'identity') return;
  body.close();
  throw new BadReply(encoding === 'identity' ? 'it is an HTML page' : `it is encoded (${encoding.slice(0, 32)})`);
}

const allDialects = lazyImport(() => import('#core/models/dialects/dialects.ts'));

/** Checks whether the server sent a complete reply although a stream was requested. */
const isOneDocument = ({ headers }: HttpReply): boolean => /^application\/json\b/i.test(headers['content-type'] ?? '');

function replayed(dialect: DialectName, body: JsonObject): ProviderReply {
  const events = async function* () {
    yield* (await allDialects()).dialects[dialect].replay(body);
  };
  return { type: 'stream', events: events() };
}

async function* streamOf(
  { name }: ProviderEntry,
  call: ProviderCall,
  reply: HttpReply,
  { frames, reader }: { readonly frames: Frames; readonly reader: FrameReader },
  key: string | undefined,
): AsyncGenerator<JsonObject, undefined> {
  const { body } = reply;
  let unreadable: 'garbage' | 'broken' = 'garbage';
  const read = (frame: Frame) => {
    // Some servers keep connections open with events that have no data.
    if (frame.data.trim() === '') return [];
    const data = withoutKey(frame.data, key);
    return reader.read(data === frame.data ? frame : { ...frame, data });
  };
  try {
    for await (const bytes of body) {
      for (const frame of frames.push(bytes)) {
        for (const event of read(frame)) {
          unreadable = 'broken';
          yield event;
        }
        if (!reader.ended) continue;
        body.release();
        return;
      }
    }
    for (const frame of frames.end()) for (const event of read(frame)) yield event;
    if (!reader.ended && !reader.complete) throw new BadReply('the stream ended early');
  } catch (thrown) {
    throw withId(asFault(name, thrown, call.signal, unreadable, 'broken'), requestIdOf(reply.headers, key));
  } finally {
    body.close();
  }
}

/** Waits for the first event, because until then a stream does not count as a response. @throws ProviderFault */
export async function awaitFirstEvent(provider: string, events: Events): Promise<AsyncIterable<JsonObject>> {
  const first = await events.next();
  if (first.done) throw new ProviderFault(provider, 'garbage', `${provider} answered with a stream without events`);
  let pending: IteratorResult<JsonObject, undefined> | undefined = first;
  const iterator: AsyncIterator<JsonObject> = {
    next() {
      if (pending === undefined) return events.next();
      const next = pending;
      pending = undefined;
      return Promise.resolve(next);
    },
    return: () => events.return(undefined),
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

const kinds = {
  unreachable: 'unreachable',
  timeout: 'timeout',
  'too-large': 'garbage',
  aborted: 'aborted',
} as const satisfies Record<Exclude<HttpFaultKind, 'broken'>, FaultKind>;

/** Returns the fault with the provider's call id, unless it already has one. */
function withId(fault: ProviderFault, requestId: string | undefined): ProviderFault {
  if (requestId === undefined || fault.requestId !== undefined || fault.kind === 'aborted') return fault;
  return fault.with({ requestId });
}

/** Converts any error of a provider call into a fault, including unreadable and truncated responses. */
export function asFault(
  provider: string,
  thrown: unknown,
  signal: AbortSignal,
  unreadable: 'garbage' | 'broken',
  cutOff = unreadable,
): ProviderFault {
  if (signal.aborted) return new ProviderFault(provider, 'aborted', `the call to ${provider} was aborted`);
  if (thrown instanceof ProviderFault) return thrown;
  if (thrown instanceof HttpFault) {
    const kind = thrown.kind === 'broken' ? cutOff : kinds[thrown.kind];
    return new ProviderFault(provider, kind, `${provider}: ${thrown.message}`, { cause: thrown });
  }
  if (thrown instanceof UnfitRequest) {
    const shown = thrown.message;
    const options = { status: 400, reason: 'unfit', shown, cause: thrown.refusal } as const;
    return new ProviderFault(provider, 'status', `this request cannot be sent to ${provider}`, options);
  }
  if (thrown instanceof ReportedError) {
    const { status, error } = thrown;
    return refusalFault({ provider, status, ...readError(error) });
  }
  if (thrown instanceof BadReply || thrown instanceof SseFault)
    return new ProviderFault(provider, unreadable, `${provider} answered no reply: ${thrown.message}`);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ProviderFault(provider, 'unreachable', `${provider}: ${message}`, { cause: thrown });
}
