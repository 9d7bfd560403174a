/** The last step of a vote: what is decided, a comment, and that it is final. The vote is a POST of this button alone [console.vote]. */
import { useState } from 'preact/hooks';
import { type Api, ApiError, faultText } from '../api.ts';
import { Risk } from '../design/badge.tsx';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { Notice } from '../design/states.tsx';
import { Block, Code, Text } from '../design/text.tsx';
import type { OwnPasskeys } from '../passkeys/browser.ts';
import { type Me, nameOf } from '../session.ts';
import { languageOf } from './call.tsx';
import { effectOf, type Item, inReadingOrder, names, nextOf, pathOf, risks } from './items.ts';

export type Verdict = 'approve' | 'deny';

interface VoteDialogProps {
  readonly api: Api;
  readonly me: Me;
  /** The item shown when the dialog was opened: later changes of the list do not affect the vote. */
  readonly item: Item;
  readonly verdict: Verdict;
  readonly close: () => void;
}

const maxCharacters = 4096;

export function VoteDialog({ api, me, item, verdict, close }: VoteDialogProps) {
  const [comment, setComment] = useState('');
  const send = async () => {
    const passkey = verdict === 'approve' ? await signed(api, item) : undefined;
    const body = { reviewer: nameOf(me), ...(comment !== '' && { comment }), ...(passkey && { passkey }) };
    await api.post<'approve'>(`approvals/${encodeURIComponent(item.envelope_id)}/${verdict}`, body);
  };
  const executed = inReadingOrder(item).filter(
    ([name, value]) => typeof value === 'string' && names([...(item.executed ?? []), '$.command'], pathOf(name)),
  );
  const next = nextOf(item, Date.now());
  return (
    <ConfirmDialog
      title={verdict === 'approve' ? 'Approve this request?' : 'Deny this request?'}
      label={verdict === 'approve' ? 'Approve' : 'Deny'}
      tone={verdict === 'approve' ? 'good' : 'bad'}
      close={close}
      send={send}
      refusal={refusal}
    >
      <p class="vote-effect">
        {item.summary && <Risk kind={risks[item.summary.risk][1]} of={risks[item.summary.risk][0]} />}
        <strong>
          <Text of={effectOf(item)} />
        </strong>
      </p>
      <p class="quiet">
        <Code of={item.tool} />
        {item.target !== '' && (
          <>
            {' '}
            on <Text of={item.target} />
          </>
        )}
      </p>
      {executed.map(([name, text]) => (
        <Block key={name} of={String(text)} language={languageOf(item.protocol)} />
      ))}
      <label for="comment">{verdict === 'deny' ? 'Comment, shown to the agent' : 'Comment'}</label>
      <textarea
        id="comment"
        rows={3}
        maxLength={maxCharacters}
        value={comment}
        onInput={(event) => setComment(event.currentTarget.value)}
      />
      {verdict === 'approve' && item.passkey_required && (
        <Notice kind="info">The rule requires your passkey: the browser asks for it when you approve.</Notice>
      )}
      <p class="quiet">
        {verdict === 'approve' && next && <>{next} </>}A decision cannot be undone. It is recorded in the evidence with
        your name and comment. Ctrl+Enter sends it.
      </p>
    </ConfirmDialog>
  );
}

/**
 * The passkey's signature over this request; undefined where the person has none that works on this page, and the rule requires none.
 * @throws Error that says what to do, where the rule requires one.
 */
async function signed(api: Api, item: Item) {
  const { rp, passkeys } = await api.ofFeature<Omit<OwnPasskeys, 'most'>>('passkeys').catch((cause: unknown) => {
    if (item.passkey_required) throw cause;
    return { rp: { id: '', origin: '' }, passkeys: [] };
  });
  const { sign, unfitPage } = await import('../passkeys/browser.ts');
  const unfit = passkeys.length === 0 ? 'Register a passkey first, on the page Passkeys.' : unfitPage(rp);
  if (unfit !== undefined || item.passkey_challenge === undefined) {
    if (item.passkey_required) throw new Error(unfit ?? 'The request is not pending any more.');
    return undefined;
  }
  const ids = passkeys.map(({ credential_id }) => credential_id);
  return sign(item.passkey_challenge, rp.id, ids);
}

function refusal(cause: unknown): string {
  if (cause instanceof ApiError && cause.status === 0)
    return 'The gateway does not answer: it is not known whether the vote counts. Look at the request before you vote again.';
  if (cause instanceof ApiError && cause.type === 'conflict') return `Not counted: ${cause.message}`;
  return `Refused: ${faultText(cause)}`;
}
