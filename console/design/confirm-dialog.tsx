/**
 * Confirmation of an irreversible action: its effect, and one button that sends it. If the gateway refuses, the dialog
 * shows the reason.
 */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button, Buttons } from './button.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';
import { Notice } from './states.tsx';

interface ConfirmDialogProps extends DialogProps {
  /** Label of the send button. */
  readonly label: string;
  readonly tone: 'good' | 'bad';
  readonly send: () => Promise<void>;
  /** Returns the message for an error of `send`. */
  readonly refusal: (cause: unknown) => string;
  readonly children: ComponentChildren;
}

/** Submits a multi-line text with Ctrl+Enter (on a Mac also Cmd+Enter), because Enter begins a new line. */
function sendByKey(event: KeyboardEvent & { readonly currentTarget: HTMLFormElement }): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}

export function ConfirmDialog({ title, label, tone, close, send, refusal, children }: ConfirmDialogProps) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | undefined>();
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await send();
      close();
    } catch (cause) {
      setFault(refusal(cause));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} close={close}>
      <form onSubmit={submit} onKeyDown={sendByKey}>
        {children}
        <div role="alert">{fault !== undefined && <Notice kind="bad">{fault}</Notice>}</div>
        <Buttons>
          <Button type="submit" tone={tone} disabled={busy}>
            {label}
          </Button>
          <Button onClick={close}>Cancel</Button>
        </Buttons>
      </form>
    </Dialog>
  );
}
