/**
 * Guards and rules that were tried for a call and for each of its effects that is not allowed: collapsed because the
 * list is long.
 */
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { Badge } from '../design/badge.tsx';
import { Table } from '../design/table.tsx';
import { Code, Text } from '../design/text.tsx';

type Result = AnswerOf<'simulate'>['results'][number];
type TraceStep = NonNullable<Result['trace']>[number];
type Effect = NonNullable<Result['effects']>[number];

interface TraceProps {
  readonly trace: readonly TraceStep[];
  readonly effects: readonly Effect[];
}

export const Trace = ({ trace, effects }: TraceProps) => (
  <>
    <Steps name="Trace" trace={trace} />
    {effects.map(({ tool, target, trace: own }, at) =>
      own ? <Steps key={at} name={`Trace of ${tool} on ${target || 'any target'}`} trace={own} /> : null,
    )}
  </>
);

const Steps = ({ name, trace }: { readonly name: string; readonly trace: readonly TraceStep[] }) => (
  <details>
    <summary>
      <Text of={name} />: {trace.length} guards and rules
    </summary>
    <Table<readonly [TraceStep, number]>
      caption={`${name}: guards and rules in order, up to the match`}
      rows={trace.map((step, at) => [step, at] as const)}
      keyOf={([, at]) => String(at)}
      columns={[
        {
          head: 'Rule',
          wide: true,
          cell: ([{ rule, name: called, place }]) => (
            <>
              {called !== undefined && (
                <>
                  <Text of={called} />{' '}
                </>
              )}
              <Code of={rule} />
              {place && (
                <span class="quiet rule-calls">
                  <Code of={place} />
                </span>
              )}
            </>
          ),
        },
        { head: 'Decision', priority: 2, cell: ([{ decision }]) => <Badge of={decision} /> },
        { head: 'Outcome', wide: true, cell: ([step]) => stepOutcome(step) },
      ]}
    />
  </details>
);

function stepOutcome({ matched, failed }: TraceStep) {
  if (matched) return <Badge of="matched" tone="good" />;
  if (!failed) return 'did not match';
  return (
    <>
      <Code of={failed.field} /> is <Text of={failed.found || 'empty'} />; the rule takes <Text of={failed.expected} />
    </>
  );
}
