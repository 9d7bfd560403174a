/** Trace of guards and rules for a call, and its effects: collapsed because it is long. */
import type { AnswerOf } from '#core/contracts/operations.ts';
import { Badge, Code, Table, Text } from '../ui.tsx';

type Result = AnswerOf<'simulate'>['results'][number];
type Step = NonNullable<Result['trace']>[number];
type Effect = NonNullable<Result['effects']>[number];

interface TraceProps {
  readonly trace: readonly Step[];
  readonly effects: readonly Effect[];
  readonly unclear: string | undefined;
}

export const Trace = ({ trace, effects, unclear }: TraceProps) => (
  <details>
    <summary>Trace: {trace.length} guards and rules</summary>
    <Table caption="Guards and rules in order, up to the one that matched" heads={['Rule', 'Decision', 'Outcome']}>
      {trace.map((step, at) => (
        <tr key={at}>
          <td>
            <Code of={step.rule} />
            {step.place && (
              <>
                {' '}
                at <Code of={step.place} />
              </>
            )}
          </td>
          <td>
            <Badge of={step.decision} />
          </td>
          <td>{outcomeOf(step)}</td>
        </tr>
      ))}
    </Table>
    {unclear !== undefined && (
      <p>
        Cannot be determined: <Text of={unclear} />
      </p>
    )}
    {effects.length > 0 && (
      <Table caption="What the call would do" heads={['Effect', 'Decision', 'Rule']}>
        {effects.map(({ tool, target, capability, decision, matched_rule, place }, at) => (
          <tr key={at}>
            <td>
              <Code of={tool} /> on <Text of={target || 'nothing named'} /> ({capability})
            </td>
            <td>
              <Badge of={decision} />
            </td>
            <td>
              <Code of={matched_rule} />
              {place && (
                <>
                  {' '}
                  at <Code of={place} />
                </>
              )}
            </td>
          </tr>
        ))}
      </Table>
    )}
  </details>
);

function outcomeOf({ matched, failed }: Step) {
  if (matched) return 'matched';
  if (!failed) return 'did not match';
  return (
    <>
      <Code of={failed.field} /> is <Text of={failed.found || 'empty'} />, asked is <Text of={failed.expected} />
    </>
  );
}
