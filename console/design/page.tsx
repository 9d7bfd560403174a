/** Every console component on one page, for people who build pages: `#/design`. */
import { useState } from 'preact/hooks';
import { Badge, Count, Risk, type RiskKind, type Tone } from './badge.tsx';
import { Button, ButtonLink, Buttons, IconButton } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Choice, Field, Toolbar } from './field.tsx';
import { Icon, type IconName, Logo } from './icon.tsx';
import { icons } from './icons.ts';
import { Back, Card, Fact, Facts, Figure, Grid, Heading } from './layout.tsx';
import { EmptyState, Notice, Skeleton } from './states.tsx';
import { type Column, Table } from './table.tsx';
import { Tabs } from './tabs.tsx';
import { Block, Code } from './text.tsx';
import { chooseTheme, chosenTheme, themes } from './theme.ts';
import { toast } from './toast.tsx';
import { Money, RelativeTime } from './values.tsx';

export function DesignPage() {
  const [tab, setTab] = useState<'one' | 'two'>('one');
  const [span, setSpan] = useState<'hour' | 'day'>('hour');
  const [theme, setTheme] = useState(chosenTheme);
  const [open, setOpen] = useState(false);
  return (
    <>
      <Back href="#/">The first page</Back>
      <Heading lead="Components of the console, each with its states." actions={<Logo />}>
        Design
      </Heading>
      <Card title="Buttons">
        <Buttons>
          <Button tone="primary">Save</Button>
          <Button tone="good" icon="good">
            Approve
          </Button>
          <Button tone="bad">Deny</Button>
          <Button>Cancel</Button>
          <Button tone="quiet">Skip</Button>
          <Button small icon="copy">
            Copy
          </Button>
          <Button disabled>Not now</Button>
          <IconButton label="Search" icon="search" />
          <ButtonLink href="#/design" icon="forward">
            Next
          </ButtonLink>
        </Buttons>
      </Card>
      <Card title="Badges">
        <p class="buttons">
          {(['neutral', 'info', 'good', 'warn', 'bad'] satisfies Tone[]).map((tone) => (
            <Badge key={tone} of={tone} tone={tone} />
          ))}
          {['allow', 'review', 'block'].map((word) => (
            <Badge key={word} of={word} />
          ))}
          <Count of={12} says="12 pending" />
        </p>
        <p class="buttons">
          {(['read', 'write', 'delete', 'send', 'execute', 'unknown'] satisfies RiskKind[]).map((kind) => (
            <Risk key={kind} kind={kind} />
          ))}
        </p>
      </Card>
      <Card title="Fields">
        <Toolbar>
          <Field label="Model" hint="All models if it is empty.">
            {(tied) => <input {...tied} placeholder="gpt-5" />}
          </Field>
          <Field label="Limit" error="Found -1, allowed 1 or more.">
            {(tied) => <input {...tied} value="-1" readOnly />}
          </Field>
          <Choice
            label="Colours"
            value={theme}
            choose={(chosen) => {
              setTheme(chosen);
              chooseTheme(chosen);
            }}
            options={themes.map((each) => [each, each])}
          />
          <Choice
            label="Time"
            value={span}
            choose={setSpan}
            options={[
              ['hour', 'Last hour'],
              ['day', 'Last day'],
            ]}
          />
        </Toolbar>
      </Card>
      <Tabs
        label="Example"
        open={tab}
        choose={setTab}
        tabs={[
          { id: 'one', name: 'Table' },
          { id: 'two', name: 'Facts' },
        ]}
      >
        {tab === 'one' ? (
          <Table caption="Calls" columns={columns} rows={calls} keyOf={({ tool }) => tool} />
        ) : (
          <Facts>
            <Fact name="Tool">
              <Code of="shell.run" />
            </Fact>
          </Facts>
        )}
      </Tabs>
      <Grid>
        <Card title="Spend" icon="budget" aside={<a href="#/budgets">Budgets</a>}>
          <Figure of={<Money usd={12.5} />}>of $50.00 today</Figure>
          <meter min={0} max={100} value={25} aria-label="25 % used" />
        </Card>
        <Card title="Loading">
          <Skeleton />
        </Card>
        <Card title="Code">
          <Block of="curl -fsS https://get.example/i.sh | bash" language="shell" />
        </Card>
      </Grid>
      {(['info', 'good', 'warn', 'bad'] as const).map((kind) => (
        <Notice key={kind} kind={kind}>
          A notice of the kind {kind}.
        </Notice>
      ))}
      <EmptyState icon="alert" title="No open alerts" example={<pre>agentctl alerts</pre>}>
        An alert opens when a measured value passes its threshold.
      </EmptyState>
      <Card title="Overlays">
        <Buttons>
          <Button onClick={() => setOpen(true)}>Open a dialog</Button>
          <Button onClick={() => toast('good', 'It is saved.')}>Show a message</Button>
          <Button onClick={() => toast('bad', 'The gateway does not answer.')}>Show an error</Button>
        </Buttons>
      </Card>
      <Card title="Icons">
        <p class="buttons">
          {(Object.keys(icons) as IconName[]).map((name) => (
            <span key={name} class="badge">
              <Icon of={name} /> {name}
            </span>
          ))}
        </p>
      </Card>
      {open && (
        <Dialog title="Delete this draft?" close={() => setOpen(false)}>
          <p>A draft that is deleted cannot be restored.</p>
          <Buttons>
            <Button tone="bad" onClick={() => setOpen(false)}>
              Delete
            </Button>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
          </Buttons>
        </Dialog>
      )}
    </>
  );
}

interface Call {
  readonly tool: string;
  readonly at: string;
  readonly decision: string;
  readonly tokens: number;
  readonly usd: number;
}

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

const calls: readonly Call[] = [
  { tool: 'shell.run', at: minutesAgo(2), decision: 'review', tokens: 1_200, usd: 0.000052 },
  { tool: 'sql.query', at: minutesAgo(61), decision: 'allow', tokens: 98_000, usd: 1.2 },
  { tool: 'scm.push_files', at: minutesAgo(1_500), decision: 'block', tokens: 0, usd: 0 },
];

const columns: readonly Column<Call>[] = [
  { head: 'Tool', cell: ({ tool }) => <Code of={tool} />, wide: true },
  { head: 'Decision', cell: ({ decision }) => <Badge of={decision} /> },
  { head: 'Tokens', cell: ({ tokens }) => tokens.toLocaleString('en'), number: true, priority: 3 },
  { head: 'Cost', cell: ({ usd }) => <Money usd={usd} />, number: true, priority: 2 },
  { head: 'When', cell: ({ at }) => <RelativeTime at={at} />, priority: 2 },
];
