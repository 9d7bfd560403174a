/**
 * Builds the OpenTelemetry Collector from Go modules. It receives the gateway's exports and writes the decoded data.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { grpcSender } from '#adapters/telemetry/otlp-grpc.ts';
import { httpSender, tracesUrl } from '#adapters/telemetry/otlp-http.ts';
import { resourceAttributes } from '#adapters/telemetry/resource.ts';
import type { EndedSpan, SpanSender } from '#adapters/telemetry/spans.ts';
import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { LocalKeys } from '../../adapters/local/keys-file.ts';
import { startChild } from '../../bench/host.ts';
import type { ReadyEvent } from '../../bin/local/banner.ts';
import { freePort, until } from '../cloud/processes.ts';
import { type Check, check } from '../support/checks.ts';
import { type ReceivedSpan, spansOf, startOtlpReceiver } from '../support/otlp-receiver.ts';

export interface Collector {
  readonly grpcUrl: string;
  readonly httpUrl: string;
  /** Returns the spans written so far. */
  spans(): Promise<readonly ReceivedSpan[]>;
  stop(): Promise<void>;
}

const protocols = ['grpc', 'http'] as const;
type Protocol = (typeof protocols)[number];

export async function startCollector(program: string): Promise<Collector> {
  const folder = await mkdtemp(join(tmpdir(), 'collector-'));
  const [grpc, http] = [await freePort(), await freePort()];
  const written = join(folder, 'spans.jsonl');
  const settings = {
    receivers: {
      otlp: { protocols: { grpc: { endpoint: `127.0.0.1:${grpc}` }, http: { endpoint: `127.0.0.1:${http}` } } },
    },
    exporters: { file: { path: written, flush_interval: '100ms' } },
    service: {
      telemetry: { metrics: { level: 'none' }, logs: { level: 'warn' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['file'] } },
    },
  };
  await writeFile(join(folder, 'config.yaml'), JSON.stringify(settings));
  const child = spawn(program, ['--config', join(folder, 'config.yaml')], { stdio: ['ignore', 'inherit', 'inherit'] });
  for (const port of [grpc, http]) await until('the collector to listen', 60, () => listens(child, port));
  return {
    grpcUrl: `http://127.0.0.1:${grpc}`,
    httpUrl: `http://127.0.0.1:${http}`,
    async spans() {
      const lines = (await readFile(written, 'utf8').catch(() => '')).split('\n').slice(0, -1);
      return lines.flatMap((line) => spansOf(JSON.parse(line)));
    },
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function listens({ exitCode }: ChildProcess, port: number): Promise<boolean> {
  if (exitCode !== null) throw new Error(`the collector ended with ${exitCode}`);
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}

/** Returns spans of every kind: with a caller's trace, refused, failed, and with attributes of each type. */
async function endedSpans(): Promise<readonly EndedSpan[]> {
  const telemetry = logTelemetry({ clock: { now: () => 1_790_000_000_123 }, write: () => {}, service: 'test' });
  const ended: EndedSpan[] = [];
  const nothing = async () => {};
  const push = (span: EndedSpan) => void ended.push(span);
  telemetry.exportTo({ sampleRate: () => 1, slowMs: () => 60_000, push, flush: nothing, stop: nothing });
  const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03';
  await telemetry.continued({ traceparent: parent, tracestate: 'rojo=1' }, () =>
    telemetry.span('gateway.chat_completion', { tenant_id: 'default', stream: false, model: undefined }, () =>
      telemetry.span('provider.openai', { tokens_total: 2 ** 40, latency_ms: 0.25 }, async (span) => {
        span.set({ 'gen_ai.response.finish_reasons': ['stop', 'length'], text: 'Grüße \u{1f512}' });
      }),
    ),
  );
  for (const code of ['policy_violation', 'provider_timeout'] as const)
    await telemetry.span(code, {}, () => Promise.reject(new GatewayError(code, 'not sent'))).catch(nothing);
  return ended;
}

function senderFor(protocol: Protocol, { grpcUrl, httpUrl }: Pick<Collector, 'grpcUrl' | 'httpUrl'>): SpanSender {
  const resource = { ...resourceAttributes('my-gateway'), 'aws.log.group.names': ['/a', '/b'] };
  return protocol === 'grpc'
    ? grpcSender({ endpoint: grpcUrl, resource })
    : httpSender({ url: tracesUrl(httpUrl), resource: () => resource });
}

export const collectorChecks = (collector: Collector): readonly Check[] => [
  ...protocols.map((protocol) =>
    check(`[trace.export] the collector reads over ${protocol} what the receiver of the tests reads`, async () => {
      const before = (await collector.spans()).length;
      const receiver = await startOtlpReceiver();
      const spans = await endedSpans();
      try {
        for (const target of [collector, receiver]) {
          const sender = senderFor(protocol, target);
          await sender.send(spans);
          await sender.close();
        }
        const read = await until('the spans', 20, async () => {
          const all = await collector.spans();
          return all.length >= before + spans.length && all.slice(before);
        });
        assert.equal(spans.length, 4);
        assert.deepEqual(read, receiver.spans);
        const [provider] = read;
        assert.deepEqual(provider?.attributes, {
          tokens_total: 2 ** 40,
          latency_ms: 0.25,
          'gen_ai.response.finish_reasons': ['stop', 'length'],
          text: 'Grüße \u{1f512}',
        });
      } finally {
        await receiver.stop();
      }
    }),
  ),
  ...protocols.map((protocol) =>
    check(`[trace.export] a gateway that stops leaves nothing behind, over ${protocol}`, () =>
      stoppedGateway(collector, protocol),
    ),
  ),
];

/** Calls a real local run and stops it long before the five-second batch interval is over. */
async function stoppedGateway(collector: Collector, protocol: Protocol): Promise<void> {
  const state = await mkdtemp(join(tmpdir(), 'gateway-collector-'));
  const config = join(state, 'gateway.yaml');
  const endpoint = protocol === 'grpc' ? collector.grpcUrl : collector.httpUrl;
  const name = `gateway-over-${protocol}`;
  const telemetry = `telemetry: { otlp_endpoint: "${endpoint}", otlp_protocol: ${protocol}, service_name: ${name} }`;
  await writeFile(config, `${readFileSync('config/gateway.yaml', 'utf8')}\n${telemetry}\n`);
  const ports = ['gateway', 'admin', 'mcp', 'edge'].flatMap((surface) => [`--${surface}-port`, '0']);
  try {
    const gateway = await startChild('bin/local.ts', ['--state', state, '--config', config, ...ports]);
    const ready = gateway.ready as unknown as ReadyEvent;
    const keys = JSON.parse(readFileSync(ready.keys_file ?? '', 'utf8')) as LocalKeys;
    const traceId = protocol === 'grpc' ? 'a'.repeat(32) : 'b'.repeat(32);
    try {
      const answer = await fetch(`${ready.gateway_url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': keys.agent,
          traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
        },
        body: JSON.stringify({ model: 'mock', messages: [{ role: 'user', content: 'hello' }] }),
      });
      assert.equal(answer.status, 200, await answer.text());
    } finally {
      await gateway.stop();
    }
    const read = await until('the spans of the chat call', 20, async () => {
      const ofCall = (await collector.spans()).filter((span) => span.traceId === traceId);
      return ofCall.some((span) => span.name === 'gateway.chat_completion') && ofCall;
    });
    const chat = read.find((span) => span.name === 'gateway.chat_completion');
    const call = read.find((span) => span.name === 'provider.call');
    const ofProvider = read.find((span) => span.name === 'provider.mock');
    assert.equal(chat?.parentSpanId, '00f067aa0ba902b7');
    assert.equal(call?.parentSpanId, chat?.spanId);
    assert.equal(ofProvider?.parentSpanId, call?.spanId);
    assert.equal(chat?.resource['service.name'], name);
    assert.equal(ofProvider?.attributes['gen_ai.request.model'], 'mock');
    assert.ok(read.some((span) => span.name === 'evidence.record'));
  } finally {
    await rm(state, { recursive: true, force: true });
  }
}
