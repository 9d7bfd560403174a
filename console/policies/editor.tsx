/** The tool policies in force, changed beside the playground; administrators of the platform store them as a new version with a reason [console.policy-saved]. */
import { useState } from 'preact/hooks';
import type { AnswerOf } from '#core/contracts/operations.ts';
import { type Api, faultText } from '../api.ts';
import { hashOf } from '../route.ts';
import { Notice, Text } from '../ui.tsx';

type Stored = Pick<AnswerOf<'getConfig'>, 'version' | 'configuration'>;

interface EditorProps {
  readonly api: Api;
  readonly maySave: boolean;
  /** Text of the policies that are tried out; undefined while none are loaded. */
  readonly draft: string | undefined;
  readonly setDraft: (text: string | undefined) => void;
}

export function Editor({ api, maySave, draft, setDraft }: EditorProps) {
  const [version, setVersion] = useState(0);
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
      const { version: loaded, configuration } = await inForce(api, maySave);
      setVersion(loaded);
      setDraft(JSON.stringify(configuration.tool_policies, null, 2));
    });
  const save = (event: Event) => {
    event.preventDefault();
    if (!maySave) return;
    work(async () => {
      const changed = JSON.parse(draft ?? '') as unknown;
      const current = await api.get<'getConfig'>('config');
      if (current.version !== version)
        throw new Error(
          `Version ${current.version} was stored meanwhile; these policies are of version ${version}. Load again.`,
        );
      const path = `config?reason=${encodeURIComponent(reason.trim())}`;
      const stored = await api.putText<'putConfig'>(
        path,
        JSON.stringify({ ...current.configuration, tool_policies: changed }),
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
          <label for="policies">Tool policies of version {version} (JSON)</label>
          <textarea
            id="policies"
            class="code"
            rows={16}
            spellcheck={false}
            value={draft}
            onInput={(event) => setDraft(event.currentTarget.value)}
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

/** Only administrators of the platform read the configuration in force; operators read the same of its version. */
async function inForce(api: Api, whole: boolean): Promise<Stored> {
  if (whole) return api.get<'getConfig'>('config');
  const { current } = await api.get<'policyVersions'>('policy-versions');
  return api.get<'policyVersion'>(`policy-versions/${current}`);
}
