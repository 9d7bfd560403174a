/** Recorded calls to try in the playground: the last decisions, newest first. */
import { useState } from 'preact/hooks';
import { type Api, faultText } from '../api.ts';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Notice } from '../design/states.tsx';
import { Text } from '../design/text.tsx';

interface Entry {
  readonly kind: string;
  readonly envelope_id: string;
  readonly timestamp: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const maxListed = 100;

export function RecordedCalls({ api, take }: { readonly api: Api; readonly take: (call: string) => void }) {
  const [entries, setEntries] = useState<readonly Entry[] | undefined>();
  const [fault, setFault] = useState<string | undefined>();
  const load = async () => {
    setFault(undefined);
    try {
      const { entries: found } = await api.get<'audit'>(`audit?limit=${maxListed}`);
      setEntries((found as unknown as readonly Entry[]).filter(isDecision));
    } catch (cause) {
      setFault(faultText(cause));
    }
  };
  const choose = (id: string) => {
    const entry = entries?.find(({ envelope_id }) => envelope_id === id);
    if (entry) take(JSON.stringify(recordedCall(entry), null, 2));
  };
  return (
    <>
      {entries === undefined ? (
        <p class="buttons">
          <Button onClick={load}>Pick a recorded call</Button>
        </p>
      ) : (
        <Field label="A recorded call">
          {(tied) => (
            <select {...tied} onChange={(event) => choose(event.currentTarget.value)}>
              <option value="">{entries.length === 0 ? 'no call is recorded' : 'choose one'}</option>
              {entries.map(({ envelope_id, kind, timestamp, body }) => (
                <option key={envelope_id} value={envelope_id}>
                  {`${timestamp.slice(11, 19)} ${kind}: ${body.tool} on ${body.target || 'any target'}`.slice(0, 120)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      {fault !== undefined && (
        <Notice kind="bad">
          <Text of={fault} />
        </Notice>
      )}
    </>
  );
}

const isDecision = ({ kind, body }: Entry): boolean =>
  ['allow', 'review', 'block'].includes(kind) && typeof body.protocol === 'string' && body.parameters !== undefined;

/** Returns the call as recorded in evidence, with digests in place of withheld values. */
const recordedCall = ({ body: { protocol, tool, target, capability, upstream, parameters } }: Entry) => ({
  protocol,
  tool,
  target,
  capability,
  ...(upstream !== undefined && { upstream }),
  parameters,
});
