/**
 * Draft of the policies next to the playground, which evaluates calls against the draft while the person types
 * [console.playground].
 */
import { useState } from 'preact/hooks';
import type { Api } from '../api.ts';
import { Card } from '../design/layout.tsx';
import { Notice } from '../design/states.tsx';
import { Text } from '../design/text.tsx';
import type { Me } from '../session.ts';
import { DecisionChanges } from './difference.tsx';
import type { Draft } from './draft.ts';
import { Editor } from './editor.tsx';
import { type DraftTrial, Playground } from './playground.tsx';

interface WorkbenchProps {
  readonly api: Api;
  readonly me: Me;
  /** The active version, once it is known. */
  readonly current: number | undefined;
}

export function Workbench({ api, me, current }: WorkbenchProps) {
  const [draft, setDraft] = useState<Draft | undefined>();
  const [tried, setTried] = useState<DraftTrial>({});
  return (
    <div class="workbench">
      <div>
        <Editor
          api={api}
          maySave={me.platform && me.role === 'admin'}
          current={current}
          draft={draft}
          setDraft={setDraft}
          fault={tried.fault}
        />
        {draft && <Behaviour of={tried} />}
      </div>
      <Playground api={api} tenant={me.tenant} draft={draft} setTried={setTried} />
    </div>
  );
}

/** Lists the differences of a draft, each with its shortest example call. */
function Behaviour({ of: { diff, warnings = [] } }: { readonly of: DraftTrial }) {
  if (!diff) return null;
  const same = diff.analysed && diff.tightened.length + diff.loosened.length === 0;
  return (
    <Card title="All decisions that the change affects" icon="diff">
      {same ? <p class="quiet">None: every call still gets the same decision.</p> : <DecisionChanges of={diff} />}
      {warnings.map((warning) => (
        <Notice key={warning} kind="warn">
          <Text of={warning} />
        </Notice>
      ))}
    </Card>
  );
}
