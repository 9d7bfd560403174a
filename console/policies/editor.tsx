/** The tool policies in force, changed beside the playground; administrators of the platform store them as a new version with a reason [console.policy-saved]. */
import { useState } from 'preact/hooks';
import type { AnswerOf } from '#core/contracts/operations.ts';
import { type Api, faultText } from '../api.ts';
import { hashOf } from '../route.ts';
import { Notice, Text } from '../ui.tsx';
import type { Draft } from './draft.ts';

interface EditorProps {
  readonly api: Api;
  readonly maySave: boolean;
  /** The version in force, once it is known. */
  readonly current: number | undefined;
  /** Undefined while no policies are loaded. */
  readonly draft: Draft | undefined;
  readonly setDraft: (draft: Draft | undefined) => void;
}

export function Editor({ api, maySave, current, draft, setDraft }: EditorProps) {
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | undefined>();
  const [saved, setSaved] = useState<AnswerOf<'putConfig'> | undefined>();
  const work = async (act: () => Promise<void>) => {
    setBusy(true);
    setFault(undefined);
    setSaved(undefined);
    try {
      await act();
    } catch (cause) {
      setFault(cause instanceof SyntaxError ? `The policies are not JSON: ${cause.message}` : faultText(cause));
    }
    setBusy(false);
  };
  const load = () =>
    work(async () => {
      const { current: inForce } = await api.get<'policyVersions'>('policy-versions');
      const of = await api.get<'policyVersion'>(`policy-versions/${inForce}`);
      setDraft({ of, text: JSON.stringify(of.configuration.tool_policies, null, 2) });
    });
  const save = (event: Event) => {
    event.preventDefault();
    if (!maySave || !draft) return;
    work(async () => {
      const changed = JSON.parse(draft.text) as unknown;
      const inForce = await api.get<'getConfig'>('config');
      if (inForce.version !== draft.of.version) throw new Error(storedMeanwhile(inForce.version, draft));
      const path = `config?reason=${encodeURIComponent(reason.trim())}`;
      const stored = await api.putText<'putConfig'>(
        path,
        JSON.stringify({ ...inForce.configuration, tool_policies: changed }),
      );
      setSaved(stored);
      setReason('');
      setDraft(undefined);
    });
  };
  return (
    <section>
      <h2>{maySave ? 'Change the policies' : 'Try other policies'}</h2>
      {draft === undefined ? (
        <button type="button" disabled={busy} onClick={load}>
          Load the policies in force
        </button>
      ) : (
        <form onSubmit={save}>
          <label for="policies">Tool policies of version {draft.of.version} (JSON)</label>
          <textarea
            id="policies"
            class="code"
            rows={16}
            spellcheck={false}
            value={draft.text}
            onInput={(event) => setDraft({ ...draft, text: event.currentTarget.value })}
          />
          <p class="quiet">
            The playground shows what the change decides while you type. Nothing is stored before you save.
          </p>
          {maySave && (
            <>
              <label for="reason">Reason, recorded in the evidence</label>
              <input
                id="reason"
                required
                maxLength={500}
                autoComplete="off"
                value={reason}
                onInput={(event) => setReason(event.currentTarget.value)}
              />
            </>
          )}
          <p class="buttons">
            {maySave && (
              <button type="submit" class="good" disabled={busy}>
                Save as a new version
              </button>
            )}
            <button type="button" disabled={busy} onClick={() => setDraft(undefined)}>
              Cancel
            </button>
          </p>
        </form>
      )}
      <div role="status">
        {draft && current !== undefined && current > draft.of.version && (
          <Notice kind="warn">{storedMeanwhile(current, draft)}</Notice>
        )}
        {fault !== undefined && (
          <Notice kind="bad">
            <Text of={fault} />
          </Notice>
        )}
        {saved && (
          <Notice kind="good">
            Version {saved.version} is in force.{' '}
            {saved.version > 1 && (
              <a href={hashOf('policies', String(saved.version - 1))}>Compare it with the one before</a>
            )}
          </Notice>
        )}
      </div>
    </section>
  );
}

const storedMeanwhile = (current: number, { of: { version } }: Draft): string =>
  `Version ${current} was stored meanwhile; these policies are of version ${version}. Load again.`;
