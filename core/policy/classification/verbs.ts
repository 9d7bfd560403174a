/**
 * The only table of verbs in tool names. A missing verb is unknown, and a tool is a read only if every verb of its name
 * only reads.
 */

import type { Capability } from '#core/contracts/envelope.ts';

export type Change = Exclude<Capability, 'read'>;

const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter((word) => word !== ''));

const classesOf = (table: Readonly<Record<Change, string>>): ReadonlyMap<string, Change> =>
  new Map(
    (Object.keys(table) as Change[]).flatMap((change) =>
      [...set(table[change])].map((word) => [word, change] as const),
    ),
  );

/** Verbs that only read. */
export const readingVerbs = set(`
  browse calculate cat check compare compute count describe diff estimate explain fetch find get glob grep head inspect
  list lookup ls peek preview read retrieve search show stat summarise summarize tail validate verify view whoami`);

/** Nouns that mark a read at the end of a name: `directory_tree`, `git_status`. */
export const readingNouns = set('blame details history info log logs overview stats status summary tree');

/** Verbs that read only before certain words: `resolve_library_id` reads, `resolve_thread` does not. */
export const readingWith: ReadonlyMap<string, { readonly objects: ReadonlySet<string>; readonly otherwise: Change }> =
  new Map(
    Object.entries<[Change, string]>({
      analyse: ['execute', 'image images sentiment text'],
      analyze: ['execute', 'image images sentiment text'],
      convert: ['write', 'currency currencies time timezone timezones unit units'],
      look: ['execute', 'up'],
      query: ['execute', 'doc docs documentation documents libraries library logs metrics traces'],
      recall: ['execute', 'memories memory'],
      resolve: [
        'write',
        'dependencies dependency dns domain host hostname id ids ip libraries library name names path paths reference references symbol symbols uri url',
      ],
    }).map(([verb, [otherwise, objects]]) => [verb, { objects: set(objects), otherwise }]),
  );

/**
 * Objects with which a reading verb changes something: `check_box` ticks it, `show_notification` notifies,
 * `verify_domain` makes a service send a message.
 */
export const actingOn: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    check: 'box boxes checkbox checkboxes radio todo todos',
    show: 'ad alert banner dialog message modal notification popup prompt toast',
    verify: 'account domain email identity identities payment phone user',
  }).map(([verb, objects]) => [verb, set(objects)]),
);

/** Words after `for`, `on`, `at` or `to` with which `list` offers something for sale. */
export const offering = set(
  'airbnb amazon auction craigslist ebay etsy exchange hire lease market marketplace opensea rent sale shop store trade zillow',
);
export const prepositions = set('as at by for from in of on per to via with');
/**
 * Words that `list` reads although they are not plurals: containers and collective nouns. Before any other singular,
 * `list` may offer the item for sale.
 */
export const listed = set(`
  activity all available backlog board bucket calendar catalog catalogue channel children cluster code collection content data database
  db dir directory drive email everyone everything feedback folder git hardware history inbox info information inventory knowledge label
  library mail mailbox media members metadata my namespace news output path people personnel playlist project queue recent
  recursive registry repo repository schema shared software space staff stock storage table thread topic tree usage wallet workspace`);

/** Words that change the meaning of the reading verb before them: `check_out`, `check_in`. */
export const verbParticles = set('in off out');

/** Words that another verb follows. */
export const joining = set('and or then');

/** Words before a verb that do not change its meaning: `batch_get_items`. */
export const transparent = set('api async batch bulk mcp multi');

/** Verbs that change something in any position of a name. */
export const changingVerbs = classesOf({
  write: `
    abort accept acknowledge acquire activate add adjust adopt allocate amend annotate append apply approve assign attach
    authorise authorize ban bind cancel chattr chgrp chmod chown checkin checkout cherry clone close compress configure confirm connect copy cordon
    cp create customize deallocate debit decline decommission decompress decr decrement decrypt deduplicate define
    delegate demote deposit deprecate dequeue detach disable disconnect dismiss dispatch downgrade download duplicate edit
    elevate enable encode encrypt enqueue enrol enroll escalate expand export expose extend extract fill finalise finalize
    finish fix flip follow forward freeze generate give grant hide impersonate import incr increment ingest init
    initialise initialize initiate inject insert join leave lend lock make manage mark materialize merge migrate minimize
    mint mkdir modify mount move mutate mute mv nominate notify obfuscate onboard overwrite patch pause pay persist pin
    populate prepend promote propagate provision publish push put reassign rebalance rebase rebuild reclassify reconcile
    recover redact redirect refactor refresh register reindex reject relabel relocate remediate remind rename render renew
    reopen reorder repair replace replenish replicate reply repost reprioritize reschedule resend reserve reshare resize
    restore retag revert revise rewrite rollback rollout rotate sanitize save scaffold scale seal seed send set settle
    sign silence simplify split squash stash submit subscribe substitute suspend swap switch sync synchronise synchronize
    taint tee throttle toggle touch transcode transform transition translate transmit trim unarchive unassign unban
    unblock uncommit uncordon undo unfollow unfreeze unhide unlabel unlock unmute unpack unpin unpublish unseal unset
    unshare unstar unsubscribe untag untaint unzip upd update upgrade upload upsert void withdraw write yank`,
  execute: `
    bootstrap bounce chroot click curl compile deploy drag eval evaluate exec execute fire halt hibernate hover install instantiate
    interrupt invoke kick launch navigate perform press proceed reboot redeploy redrive reload replay rerun restart resume
    retry shutdown simulate spawn ssh start stop sudo swipe tap wake wget`,
  delete: `
    abandon clean cleanup clear del delete deprovision deregister destroy discard drain drop erase evict expire expunge
    flush forget invalidate kill liquidate nuke obliterate pop prune purge raze remove reset revoke rid-of rm rmdir shred strip
    terminate trash truncate uninstall unlink unregister vacate vacuum wipe`,
});

/** Changing verbs that may also name what a tool returns, without a change: `extract_text`, `confirm_cost`. */
export const producingVerbs = set(`
  append calculate compress confirm convert copy customize decompress decrypt define download encode encrypt expand export extract
  finalise finalize fill follow form generate import init initialise initialize join load obfuscate populate prepend redact refactor
  render replay sanitize scaffold seed sign simplify simulate split transcode transform transition translate trim`);

/** Words that are also nouns or adjectives: they change something only in the position of a verb. */
export const nounsAndVerbs = classesOf({
  write: `
    alert allow answer archive audit backup block book bookmark branch cache change charge claim comment commit complete
    contact credit deny design document draft email exchange export file flag fork form format free group hold host index
    invite issue label lease like link log mail map mention message model note offer open order place pledge post profile
    pull quote rate react record refund release report request review sample schedule share signal snapshot star stage
    store stream subscription tag template track trade transfer tweet vote watch zip`,
  execute: 'build call load mock ping plan play process program query run script test trigger type use',
  delete: 'dump empty zero',
});

/** Objects that make the word before them a verb in any position: `list_run_command`. */
export const verbObjects: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    call: 'command function script shell sql tool',
    charge: 'card customer',
    post: 'message',
    run: 'code command commands program query script shell sql',
    transfer: 'funds money payment',
    use: 'tool',
  }).map(([verb, objects]) => [verb, set(objects)]),
);

/** Nouns that may precede the verb of a name: `directory_tree`, `calendar_list`. */
export const leadingNouns = set(`
  account accounts action actions alert alerts block blocks board boards branches calendar channel channels cluster
  clusters code comments commits config console contact contacts context conversation conversations customer customers
  dashboard dashboards database databases deployment deployments directory directories discussion discussions doc docs dropdown
  droplet droplets
  document documents entities entity epic epics event events file files folder folders function functions graph image
  images incident incidents invoice invoices issues item items job jobs knowledge library memory message messages metric
  metrics namespace namespaces network news node nodes orders organization organizations package packages page pages
  people place places pod pods product products profile project projects repo repos repositories repository resource
  resources schema server servers service services sheet sheets space spaces spreadsheet sprint sprints stock story sub
  symbol symbols table tables tag tags task tasks team teams thread threads ticket tickets trace traces user users weather
  web wiki workflow workflows`);

/** Names of services that precede the verb: `slack_list_channels`. */
export const services = set(`
  airtable arxiv asana aws azure bigquery bitbucket brave browser chrome clickhouse cloud cloudflare confluence datadog db
  discord docker drive elasticsearch exa figma filesystem firecrawl forgejo fs gcp gdrive git gitea github gitlab gmail
  google grafana helm hubspot intercom jira kubectl kubernetes linear maps mongo mongodb mysql netlify newrelic notion npm
  obsidian opensearch outlook pagerduty perplexity playwright postgres postgresql prometheus puppeteer pypi reddit redis
  salesforce scm sentry sheets shopify slack snowflake spotify sql sqlite stripe supabase tavily teams telegram terraform
  todoist tofu trello vercel wikipedia youtube zendesk`);

/** Pairs of words that count as one: nouns with a part that is a verb elsewhere, or a verb (`get_rid_of_file`). */
export const compounds = set(`
  pull-request pull-requests merge-request merge-requests merge-base merge-bases merge-commit merge-commits merge-conflict
  merge-conflicts check-run check-runs check-suite check-suites change-set change-sets data-set result-set rule-set
  record-set feature-set release-notes read-me read-only rid-of sign-in sign-ins`);

/** Verbs that send something to other people or places, whatever their object is. */
export const sendingVerbs = set('create forward post publish reply send share upload');
