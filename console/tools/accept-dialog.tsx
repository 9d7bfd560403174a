/** Confirms the acceptance of a definition: exactly the displayed one, or none at all. */
import { visibleText } from '#core/text/secrets/visible-text.ts';
import { type Api, faultText } from '../api.ts';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { Fact, Facts } from '../design/layout.tsx';
import { Code, Text } from '../design/text.tsx';
import type { ToolView } from './definition.tsx';
import { pathOf } from './tool-address.ts';

interface AcceptProps {
  readonly api: Api;
  /** The tool shown when the dialog was opened. */
  readonly view: ToolView;
  readonly close: () => void;
}

export function AcceptDialog({ api, view, close }: AcceptProps) {
  const { upstream, tool, changed, introduces = [] } = view;
  const send = async () => {
    await api.post<'acceptMcpTool'>(`${pathOf(upstream, tool, '/accept')}&fingerprint=${changed?.fingerprint}`, {});
  };
  return (
    <ConfirmDialog
      title="Accept this definition?"
      label="Accept"
      tone="good"
      refusal={(cause) => `Not accepted: ${faultText(cause)}`}
      close={close}
      send={send}
    >
      <Facts>
        <Fact name="Tool">
          <Code of={tool} /> of <Text of={upstream} />
        </Fact>
        <Fact name="Introduces">
          {introduces.length === 0
            ? 'nothing that matters'
            : introduces.map(({ description }) => visibleText(description)).join(' ')}
        </Fact>
      </Facts>
      <p class="quiet">The evidence records it with your name. After that, models can read this text.</p>
    </ConfirmDialog>
  );
}
