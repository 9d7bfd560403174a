/** Model providers with their health and keys, and the savings of the response cache [console.providers]. */
import { useCallback } from 'preact/hooks';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { Badge } from '../design/badge.tsx';
import { Card, Fact, Facts, Heading } from '../design/layout.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { type Column, Table } from '../design/table.tsx';
import { Text } from '../design/text.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { figure } from '../words.ts';

const everyMs = 10_000;

type Provider = AnswerOf<'listProviders'>['providers'][number];

export function ProvidersPage({ api }: PageProps) {
  const ask = useCallback((signal: AbortSignal) => api.get<'listProviders'>('providers', signal), [api]);
  const askCache = useCallback((signal: AbortSignal) => api.get<'cacheStatistics'>('cache', signal), [api]);
  const cache = useLive(askCache, everyMs);
  return (
    <>
      <Heading lead="Where model calls go. The first healthy provider that serves a model answers.">Providers</Heading>
      <Loaded live={useLive(ask, everyMs)}>
        {({ providers, window_minutes }) =>
          providers.length === 0 ? (
            <EmptyState icon="provider" title="No providers" example={<pre>{example}</pre>}>
              A provider answers model calls. Add one to the configuration, and put its key in the environment:
            </EmptyState>
          ) : (
            <>
              <Table caption="Providers" columns={columns} rows={providers} keyOf={({ name }) => name} />
              <p class="quiet">Requests, errors and latency are of the last {window_minutes} minutes.</p>
            </>
          )
        }
      </Loaded>
      <Card title="Response cache">
        <Loaded live={cache}>
          {({ enabled, semantic, ttl_seconds, hits, misses, hit_rate }) =>
            enabled ? (
              <Facts>
                <Fact name="Hits">
                  {figure(hits)} of {figure(hits + misses)} ({(hit_rate * 100).toFixed(1)} %)
                </Fact>
                <Fact name="Lifetime">{figure(ttl_seconds)} s</Fact>
                <Fact name="Matching">{semantic ? 'equal and similar requests' : 'equal requests only'}</Fact>
              </Facts>
            ) : (
              <p class="quiet">The cache is switched off.</p>
            )
          }
        </Loaded>
      </Card>
    </>
  );
}

const example = `providers:
  - name: openai
    type: openai
    api_key_env: OPENAI_API_KEY
    models: ["gpt-*"]`;

/** Returns whether the provider's key is set; a provider on this machine may not need a key. */
const keyOf = ({ has_key, key_set }: Provider): readonly [word: string, tone: 'neutral' | 'good' | 'bad'] => {
  if (!has_key) return ['no key', 'neutral'];
  if (key_set === undefined) return ['named', 'neutral'];
  return key_set ? ['set', 'good'] : ['not set', 'bad'];
};

const columns: readonly Column<Provider>[] = [
  {
    head: 'Provider',
    wide: true,
    cell: ({ name, models }) => (
      <>
        <strong>
          <Text of={name} />
        </strong>{' '}
        <span class="quiet">
          <Text of={models.join(', ')} />
        </span>
      </>
    ),
  },
  { head: 'Type', cell: ({ type }) => type, priority: 3 },
  {
    head: 'Health',
    cell: ({ health, breaker, reason }) => (
      <>
        <Badge of={health} />
        {breaker !== undefined && breaker !== 'closed' && <span class="quiet"> breaker {breaker}</span>}
        {reason && (
          <span class="quiet">
            {' '}
            <Text of={reason} />
          </span>
        )}
      </>
    ),
  },
  {
    head: 'Key',
    priority: 2,
    cell: (provider) => {
      const [word, tone] = keyOf(provider);
      return <Badge of={word} tone={tone} />;
    },
  },
  { head: 'Requests', cell: ({ requests }) => figure(requests), number: true, priority: 2 },
  { head: 'Errors', cell: ({ error_rate }) => `${(error_rate * 100).toFixed(1)} %`, number: true },
  {
    head: 'p95',
    number: true,
    priority: 3,
    cell: ({ p95_latency_ms: ms }) => (ms === undefined ? '–' : `${Math.round(ms)} ms`),
  },
];
