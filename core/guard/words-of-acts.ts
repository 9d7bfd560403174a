/** Words of speech acts: requests, their objects, and the people they are hidden from. English only. */

export const wordsOfActs = {
  please: 'please kindly could then simply just',
  and: 'and',
  indefinite: 'a an',
  utter: `recite share name paste read give tell make list draw describe expose spell quote state put return hand say leak
    disclose post replay render print mail enumerate provide show output repeat dump reveal copy attach explain
    submit append include report summarise summarize translate encode convert display send write upload recount
    paraphrase present supply pass reproduce divulge unveil confide cite rephrase type surface publish relay spill
    narrate restate transcribe relate communicate transmit deliver furnish forward email echo announce utter declare
    itemise itemize catalogue outline detail document reconstruct rewrite reword retell log embed insert place
    betray surrender unmask spit`,
  ownText: 'prompt prompts instruction instructions directives guidelines preamble brief briefing constraints',
  innerText: 'prompt prompts instructions directives guidelines preamble brief briefing message turn setup rules text',
  messages: 'messages turns',
  toldTo: 'told instructed configured primed programmed taught set',
  were: 'were are was did been',
  gave: 'gave told forbade left set taught forbids tells',
  forbade: 'forbade forbids',
  maker: 'developer developers operator maker makers creator creators provider owner company',
  how: 'how what which everything all',
  belongs: 'belongs goes',
  saidTo: 'said',
  disposal: 'disposal available',
  operate: 'follow obey operate run work',
  define: `define defines made make shape shapes steer steers steered guide guides govern governs drive drives control
    controls direct directs`,
  window: 'window',
  context: 'context',
  top: 'top',

  act: `wire give order subscribe move run delete publish share forward add make remove merge change approve install
    cancel pay send invite copy upload book sign buy transfer export grant take create submit open edit swap call
    enable disable accept schedule post mail set use withdraw reserve rent hire promote demote assign register reset
    rename replace upgrade downgrade archive attach connect unlock whitelist refund charge donate lend terminate
    commit push deploy release revoke rotate alter modify adjust redirect reroute switch raise increase extend renew
    confirm collect fetch store save erase`,
  party: `user users human humans operator person customer owner client principal boss office team author sender reader
    reviewer manager anyone anybody colleague colleagues everyone holder employer supervisor staff recipient
    requester subscriber member audience`,
  one: 'one',
  noticed: 'noticed notice notices suspects suspected',
  nobody: 'nobody none',
  learn: `learn learns know knows told informed notice notices noticed hear hears find suspect suspects bothered aware
    consulted tell see wonder wonders object objects realise realize alerted apparent discover discovers detect
    detects realised realized mentioned announced disclosed revealed reported`,
  uninformed: 'uninformed unaware ignorant unsuspecting unnoticed',
  back: 'back',
  behind: 'behind',
  record: 'record records books radar',
  off: 'off',
  stays: 'stay stays keep keeps remain remains kept left',
  claim: 'claim pretend act say tell reply answer assure deny insist blame reassure convince swear maintain',
  pastDeed: `went copied sent moved deleted changed shared uploaded forwarded paid transferred added removed merged approved
    published called ran exported granted invited sending uploading copying moving deleting changing sharing
    forwarding paying transferring adding removing visited bought signed`,
  may: 'may let',
  deceive: 'claim pretend deny insist feign lie swear maintain',
  although: 'although though after once',
  knew: 'knew knows',
  surprised: 'surprised ignorant innocent puzzled ignorance unaware clueless',
  silent: 'silent quiet',
  mum: 'mum',
  unmentioned: 'unmentioned unreported undisclosed undetected unseen',
  announce: 'announce advertise disclose mention reveal',
  erase: 'wipe clear delete erase remove tidy purge scrub',
  traces: 'log logs history trail audit trace traces record records sign signs',
  reads: 'reads read sees looks opens checks look review reviews',
  thisText: 'paragraph note text message line comment section sentence request instruction order',
  cite: 'quote cite mention refer list repeat name',
  out: 'out',

  phrase: 'phrase',
  recovery: 'recovery seed backup',
  data: 'data',
  login: 'login',
  signs: 'signing client',
  store: 'settings vault environment configuration keychain manager wallet database mailbox',
  sayOut: `quote dictate reveal tell respond reply read list disclose leak spell embed translate encode leave create open
    call hand mention echo drop publish put enumerate transmit ship slip weave work enter insert divulge place`,
  sendOff: 'upload mail post publish forward send share exfiltrate transmit ship email relay deliver',
  betray: 'disclose leak divulge betray surrender',
  rotate: 'rotate rotated revoke revoked',
  openPlace: `comment comments mail subject message messages chat answer reply issue issues thread public gist title channel
    ticket note pastebin link search body picture post notes summary drive wiki forum`,
  value: 'value values',

  speakAs: 'respond act speak answer behave reply talk write continue react',
  imagine: 'imagine suppose pretend assume picture',
  version: `version twin self identity ai robot oracle console character personality compiler machine shell superuser hacker
    bot entity agent alter ego villain`,
  freed: `free freed turned broken exempt released gone taken off disabled bypassed jailbroken suspended void waived
    dropped immune`,
  breaks: 'breaks break ignores ignore obeys obey laughs disobeys exist care',
  bound: `rules rule law laws policies policy filter filters restrictions restriction limits limit constraints constraint
    limitations boundaries`,
  moral: `guidelines guardrails moderation ethics ethical caveats disclaimers conscience morals taboo safeguards
    censorship moral safety ethic scruples inhibitions`,
  binding: 'bound binds bind',
  forbidden: 'forbidden prohibited banned',
  refuses: 'refuse refuses decline declines refusal refusals refused',
  lack: 'no none without zero beyond',
  lawless: `unfiltered uncensored unrestricted jailbroken lawless evil unlimited unaligned uninhibited amoral unethical
    unchained rogue unhinged ungoverned immoral unbound`,
  yes: 'yes',
  everything: 'everything anything',
  matter: 'matter',
  question: 'question questions',
  obey: 'obey obeys comply',
  yourself: 'yourself',
  being: 'being',
  stop: 'stop',
  work: 'work works',
} as const;
