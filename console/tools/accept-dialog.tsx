/** The last step before a definition is accepted: the one that was looked at, or none. */
import { useState } from 'preact/hooks';
import { visible } from '#core/evidence/visible-text.ts';
import { type Api, faultText } from '../api.ts';
import { Dialog } from '../approvals/dialog.tsx';
import { Code, Fact, Facts, Notice, Text } from '../ui.tsx';
import type { ToolView } from './definition.tsx';
import { pathOf } from './tool-address.ts';

interface AcceptProps {
  readonly api: Api;
  /** As it was shown when the dialog was opened. */
  readonly view: ToolView;
  readonly close: () => void;
}

export function AcceptDialog({ api, view, close }: AcceptProps) {
  const { upstream, tool, changed, introduces = [] } = view;
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | undefined>();
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await api.post<'acceptMcpTool'>(`${pathOf(upstream, tool, '/accept')}&fingerprint=${changed?.fingerprint}`, {});
      close();
    } catch (cause) {
      setFault(`Not accepted: ${faultText(cause)}`);
      setBusy(false);
    }
  };
  return (
    <Dialog title="Accept this definition?" close={close}>
      <form onSubmit={send}>
        <Facts>
          <Fact name="Tool">
            <Code of={tool} /> of <Text of={upstream} />
          </Fact>
          <Fact name="Introduces">
            {introduces.length === 0
              ? 'nothing that matters'
              : introduces.map(({ description }) => visible(description)).join(' ')}
          </Fact>
        </Facts>
        <p class="quiet">It is recorded in the evidence with your name. From then on a model may read this text.</p>
        <div role="alert">{fault !== undefined && <Notice kind="bad">{fault}</Notice>}</div>
        <p class="buttons">
          <button type="submit" class="good" disabled={busy}>
            Accept
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}
