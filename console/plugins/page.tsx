/** Active policy packs and WASM filters, whether they are signed, and recent plugin changes [console.plugins]. */
import { useCallback } from 'preact/hooks';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { Badge } from '../design/badge.tsx';
import { Heading } from '../design/layout.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { type Column, Table } from '../design/table.tsx';
import { Code, Text } from '../design/text.tsx';
import { RelativeTime } from '../design/values.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';

type SupplyChain = AnswerOf<'supplyChain'>;

export function PluginsPage({ api }: PageProps) {
  const ask = useCallback((signal: AbortSignal) => api.get<'supplyChain'>('supply-chain', signal), [api]);
  return (
    <>
      <Heading lead="Policy packs and filters that decide on calls, by digest.">Plugins</Heading>
      <Loaded live={useLive(ask, 30_000)}>
        {({ parts, acts, policy_version, require_signed }) => (
          <>
            <p class="quiet">
              In force with policy version {policy_version}.{' '}
              {require_signed ? 'Unsigned plugins are refused.' : 'Unsigned plugins are allowed.'}
            </p>
            {parts.length === 0 ? (
              <EmptyState
                icon="plugin"
                title="No plugins"
                example={
                  <pre>
                    agentctl plugin search secrets --index https://plugins.example.com/index.json --root root.pem
                  </pre>
                }
              >
                A plugin is a policy pack or a WASM filter of a signed index.
              </EmptyState>
            ) : (
              <Table
                caption="In force"
                columns={partColumns}
                rows={parts}
                keyOf={({ kind, name }) => `${kind} ${name}`}
              />
            )}
            {acts.length > 0 && (
              <section>
                <h2>Changes of the last week</h2>
                <Table
                  caption="Changes"
                  columns={actColumns}
                  rows={acts}
                  keyOf={({ evidence_hash }) => evidence_hash}
                />
              </section>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

const partColumns: readonly Column<SupplyChain['parts'][number]>[] = [
  { head: 'Name', cell: ({ name, signed_as }) => <Text of={signed_as ?? name} /> },
  { head: 'Kind', cell: ({ kind }) => kind.replaceAll('_', ' '), priority: 2 },
  {
    head: 'Signature',
    wide: true,
    cell: ({ verified, reason }) => (
      <>
        <Badge of={verified ? 'verified' : 'not verified'} tone={verified ? 'good' : 'warn'} />
        {reason && (
          <span class="quiet">
            {' '}
            <Text of={reason} />
          </span>
        )}
      </>
    ),
  },
  { head: 'SHA-256', cell: ({ sha256 }) => (sha256 === null ? '–' : <Code of={sha256} />), priority: 3, wide: true },
];

const actColumns: readonly Column<SupplyChain['acts'][number]>[] = [
  { head: 'What', cell: ({ act, name, version = '' }) => <Text of={`${act} ${name} ${version}`} /> },
  { head: 'By', cell: ({ by }) => <Text of={by} />, priority: 2 },
  { head: 'Reason', cell: ({ message, reason }) => <Text of={message ?? reason ?? '–'} />, priority: 3, wide: true },
  { head: 'When', cell: ({ at }) => <RelativeTime at={at} /> },
];
