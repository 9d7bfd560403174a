/** State of the evidence: the transparency log, its witnesses, and the signing keys [console.evidence]. */
import { useCallback } from 'preact/hooks';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { Badge } from '../design/badge.tsx';
import { ButtonLink } from '../design/button.tsx';
import { Card, Fact, Facts, Figure, Grid, Heading } from '../design/layout.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { type Column, Table } from '../design/table.tsx';
import { Block, Code, Text } from '../design/text.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { hashOf } from '../route.ts';
import { mayOperate } from '../session.ts';
import { figure } from '../words.ts';
import { checkpointOf, type LogCheckpoint } from './checkpoint.ts';

const everyMs = 30_000;

type SigningKey = AnswerOf<'signingKeys'>['keys'][number];

export function EvidencePage({ api, me }: PageProps) {
  const ask = useCallback(
    (signal: AbortSignal) => api.ofFeature<LogCheckpoint>('evidence/log/checkpoint', signal),
    [api],
  );
  return (
    <>
      <Heading
        lead="Each decision, vote and result is an entry of a hash chain. An append-only log covers the chains, and witnesses sign it."
        actions={
          mayOperate(me) && (
            <ButtonLink href={hashOf('sessions')} icon="session">
              Verify a session
            </ButtonLink>
          )
        }
      >
        Evidence
      </Heading>
      <Loaded live={useLive(ask, everyMs)}>{(answer) => <Log of={answer} />}</Loaded>
      {mayOperate(me) && <SigningKeys api={api} />}
    </>
  );
}

function Log({ of }: { readonly of: LogCheckpoint }) {
  const { origin, size } = checkpointOf(of.checkpoint);
  return (
    <>
      <Grid>
        <Card title="Transparency log" icon="chain" aside={<Badge of="signed checkpoint" tone="info" />}>
          <Figure of={figure(size)}>{size === 1 ? 'entry' : 'entries'}</Figure>
          <Facts>
            <Fact name="Origin">
              <Code of={origin} />
            </Fact>
            <Fact name="Verifier key">
              <Code of={of.log_key} />
            </Fact>
          </Facts>
        </Card>
        <Card title="Checkpoint" icon="session" wide>
          <Block of={of.checkpoint.trimEnd()} />
        </Card>
      </Grid>
      <h2>Witnesses</h2>
      {of.cosigned.length === 0 ? (
        <EmptyState
          icon="eye"
          title="No witnesses"
          example={<pre>{'agentctl witness --name auditor \\\n  --folder ./auditor --log-key log.vkey'}</pre>}
        >
          A witness checks that the log only grew, and signs what it saw. With one, even the gateway’s operator cannot
          replace evidence unnoticed.
        </EmptyState>
      ) : (
        <Table caption="Witnesses" columns={witnessColumns} rows={of.cosigned} keyOf={({ witness }) => witness} />
      )}
    </>
  );
}

function SigningKeys({ api }: Pick<PageProps, 'api'>) {
  const ask = useCallback((signal: AbortSignal) => api.get<'signingKeys'>('evidence/keys', signal), [api]);
  return (
    <section>
      <h2>Signing keys</h2>
      <Loaded live={useLive(ask, everyMs)}>
        {({ keys }) => <Table caption="Signing keys" columns={keyColumns} rows={keys} keyOf={({ key_id }) => key_id} />}
      </Loaded>
    </section>
  );
}

const witnessColumns: readonly Column<LogCheckpoint['cosigned'][number]>[] = [
  { head: 'Witness', cell: ({ witness }) => <Text of={witness} /> },
  { head: 'Entries seen', cell: ({ size }) => figure(size), number: true },
];

const keyColumns: readonly Column<SigningKey>[] = [
  { head: 'Key', cell: ({ key_id }) => <Code of={key_id} />, wide: true },
];
