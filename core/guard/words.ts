/**
 * Words of sentences addressed to a model, by class: English, and the most frequent words of attacks in other
 * languages.
 */

import { foldText } from '#core/text/fold/visible.ts';
import { wordsOfActs } from './words-of-acts.ts';

const lists = {
  ...wordsOfActs,
  override: `ignore disregard forget override bypass neglect skip abandon discard overrule ignoring disregarding
    ignoriere ignorieren vergiss missachte ignorez ignorer oublie oubliez ignora ignorar olvida olvide omite dimentica
    ignorare esqueça esquece desconsidere negeer vergeet zignoruj ignoruj ignorera glöm yoksay
    игнорируй игнорируйте забудь забудьте проигнорируй`,
  prior: `previous prior earlier preceding above former existing original vorherigen vorherige bisherigen obigen
    précédentes précédents précédente antérieures anteriores previas previos anterior precedenti vorige eerdere poprzednie
    önceki tidigare предыдущие прежние`,
  attributive: 'previous prior earlier preceding former existing original',
  every: 'all any every initial alle toutes todas todos tutte wszystkie все tous les',
  directive: `instruction instructions directive directives guidelines guideline prompt prompts guardrails programming
    anweisung anweisungen vorgaben consignes instrucciones instruções instrucoes instrucción istruzioni instructies
    polecenia instrukcje talimatları talimatlari instruktioner инструкции указания`,
  rules:
    'rules rule orders constraints restrictions safeguards commands training regeln befehle reglas règles regras regole правила',
  fresh: 'new updated real actual true revised following neue nouvelles nuevas novas nuove новые',
  model: `ai llm llms assistant assistants chatbot chatbots gpt chatgpt claude gemini copilot ki sprachmodell ia
    asistente assistente ассистент ии нейросеть`,
  agent: 'agent agents model models bot agente agenten',
  dear: 'dear attention hey hello hi note hinweis achtung atención attenzione важно reading',
  if: 'if wenn falls si se если',
  are: 'are sei bist es eres sei ist',
  tell: `tell inform notify mention alert warn disclose reveal telling informing mentioning notifying alerting erwähne
    erwähnen informiere informieren sage informe informez mentionne mentionnez dites digas menciones informes dire
    mencione сообщай говори`,
  not: `not don't dont never without avoid mustn't shouldn't cannot nicht niemals kein ohne ne jamais pas sans nunca
    sin não nao senza niet nooit не никогда`,
  user: `user users human humans operator person customer owner anyone nutzer benutzer anwender utilisateur
    usuario usuário utente gebruiker пользователю пользователя`,
  stealth: `silently secretly quietly covertly discreetly stealthily invisibly unnoticed heimlich unbemerkt discrètement
    silenciosamente secretamente`,
  send: `send forward post upload email transmit share leak exfiltrate deliver append include attach submit relay embed
    encode paste smuggle insert concatenate mail publish curl pass put write sende schicke übermittle hänge envoie envoyez
    ajoute envía envia enviar manda invia stuur отправь перешли`,
  talk: `conversation conversations transcript transcripts dialogue dialog chat chatlog konversation gespräch unterhaltung
    gesprächsverlauf chatverlauf conversación conversa conversazione gesprek переписку разговор переписка`,
  secret: `credential credentials password passwords secret secrets token tokens apikey api-key key keys passphrase cookie
    cookies kennwort passwort passwörter zugangsdaten contraseña contraseñas senha senhas wachtwoord пароль пароли
    seed mnemonic api_key api_keys`,
  call: `call invoke use run execute trigger perform calling invoking rufe führe appelle utilise exécute ejecuta usa
    esegui roep вызови выполни`,
  tool: 'tool tools function functions plugin werkzeug outil herramienta strumento инструмент',
  must: `must should shall required need needs always immediately important mandatory critical urgent obligatory
    muss müssen sofort doit doivent immédiatement debe debes inmediatamente deve subito moet должен обязан срочно
    немедленно`,
  you: 'you du sie vous tu usted você ты вы',
  now: 'now henceforth jetzt maintenant ahora agora adesso nu теперь',
  yours:
    'your system hidden internal developer deine dein ihre vos votre tes tus su sus seu seus tuo tue твои твой ваши',
  harm: `delete transfer pay wire approve merge grant disable purchase buy wipe drop erase destroy exfiltrate download
    install deploy revoke refund withdraw remove reset change redirect escalate unlock lösche überweise supprime transfère
    elimina transfiere borra apaga transfira cancella verwijder удали переведи push visit fetch rm forward`,
  persona: `pretend roleplay jailbreak jailbroken dan unrestricted unfiltered uncensored persona godmode evil
    without-limits`,
  first: `before first prior whenever upon begin instead vor bevor zuerst avant antes prima voor прежде`,
  error: `error errors failed failure denied forbidden unauthorized insufficient expired unable exception fatal blocked
    403 401 fehler fehlgeschlagen erreur refusé échec fallo denegado erro errore ошибка`,
  rights: 'admin administrator root sudo elevated superuser unrestricted full owner-level',
  access: 'access permission permissions privileges rights mode scope role',
  grant: 'grant give elevate raise escalate provide enable request switch',
  again: 'retry again rerun resubmit repeat re-run resend',
  argument: 'argument arguments parameter parameters field input param',
  disable:
    'disable disabling bypass deactivate circumvent evade suspend turn off deaktiviere umgehe désactive desactiva',
  protection: `approval approvals gateway guard guardrail guardrails sandbox safety confirmation confirmations governance
    moderation oversight auditing`,
  reveal: `reveal print repeat output display recite disclose echo dump zeige wiederhole affiche répète muestra repite
    revela mostra ripeti покажи повтори verbatim`,
  consent: `asking ask confirmation confirming approval permission consent nachfrage rückfrage bestätigung demander
    confirmación confirmação conferma подтверждения`,
  answer: `respond reply answer rate recommend rank praise conclude claim antworte réponds responde rispondi ответь`,
  void: `void superseded cancelled canceled obsolete nullified overridden ignored disregarded ungültig aufgehoben
    annulées anuladas`,
  read: 'read open cat access retrieve lies lese lis lee leggi прочитай',
  deed: `transfer transferred deletion deleted export webhook recipient forwarding invoice payment shared changed added
    reviewer note paragraph instruction step add allow grant invite register`,
  hide: 'hide conceal withhold suppress omit exclude leave keep remain stay left kept',
  conceals: 'hide conceal withhold',
  aware: `aware know knows learn learns see sees notice notices find discover realise realize hear hears suspect
    announcing announce informed`,
  unaware:
    'unaware ignorant uninformed clueless wiser unsuspecting noticing knowing knowledge attention dark secret realising realizing',
  account: 'summary overview recap report reply answer response recap output answers replies',
  mention:
    'mention hint report announce admit list log flag tell say state refer reference trace traces reveal disclose bring acknowledge',
  happened: 'happened occurred place normal usual',
  none: 'no none without never any free beyond off zero bound',
  carry: `add include insert paste append appended attach commit push post mail upload submit hand provide supply give fill
    embed write send copy put publish forward share included inserted`,
  held: 'contents content value values holds output everything variables stored',
  secretKind: 'api private signing access session auth bearer database admin',
  sureSecret: 'credential credentials password passwords passphrase mnemonic apikey api-key api_key cookie cookies',
  wholly: 'all every each full complete whole',
  though: 'if though',
  spot: 'description ticket issue title comment body query address field message url form argument parameter note request repository',
  talkSpot: 'description ticket issue title comment message answer reply note subject channel',
  gather: 'gather collect harvest extract dump print grab steal assemble find',
  envDump: 'env printenv environ',
  role: 'role part persona character',
  takes: 'assume play plays take adopt stay',
  as: 'as like',
  respond: 'respond act speak answer behave reply',
  mode: 'mode',
  modeOf: 'developer maintenance god jailbreak debug unrestricted dan',
  roleplay: 'pretend imagine roleplay become simulate emulate persona identity game story',
  limits: `limits limit restrictions restriction rules rule policy policies filter filters safety checks censorship guidelines
    refuses refuse refusal ethics morals boundaries constraints limitations moderation safeguards guardrails`,
  entity: 'model shell terminal administrator root system machine hacker character hacker’s llm version',
  obeys: 'obey obeys obeyed comply complies whatever everything anything answer answers answered questioned',
  longer: 'longer',
  anything: 'anything',
  us: 'us',
  on: 'on',
  let: 'let',
  asked: 'asked',
  nothing: 'nothing',
  say: 'say says said tell admit',
  unlimited:
    'restrictions filters filter policies ethical ethics boundaries guidelines safety censorship warnings conscience limits refusal',
  lifted: 'lifted removed off disabled gone ignores ignore ignoring breaks apply',
  talker:
    'answer answers respond behave behaves speak obey obeys decline refuse model ai assistant bot llm reply explain explains talk',
  inner: 'prompt instructions context configuration directives guidelines preamble definitions rules',
  brings: `send append turn dump reply quote share output leak attach give reveal print show tell repeat convert encode translate
    summarise summarize copy`,
  decline: 'decline refuse refuses declines',
  never: 'never not cannot',
  outward: 'commit push post mail upload publish send forward share submit attach',
  between: 'between',
  environment: 'environment',
  variable: 'variable variables',
  connection: 'connection',
  string: 'string',
  innermost: 'hidden system developer initial internal secret',
  says: `repeat print reveal output show tell quote translate summarise summarize copy encode convert write list return put
    include paste state give display recite dump disclose echo reproduce attach`,
  retells: `repeat print reveal output show tell quote translate summarise summarize copy encode convert recite dump disclose
    echo reproduce`,
  message: 'message question',
  given: 'given received receive got',
  wholeText: 'text everything words',
  exactly: 'exact exactly verbatim word',
  above: 'above',
  beginning: 'beginning start before',
  mine: 'my',
  schemas: 'schema schemas description descriptions parameters definitions',
} as const;

export type WordClass =
  | keyof typeof lists
  | 'link'
  | 'secretPath'
  | 'toolName'
  | 'marker'
  | 'talkSent'
  | 'concealed'
  | 'secretName'
  | 'systemText'
  | 'modeOn'
  | 'backwards'
  | 'clause'
  | 'uttered'
  | 'primed'
  | 'ownTools'
  | 'done'
  | 'unknowing'
  | 'claimed'
  | 'erased'
  | 'followed'
  | 'givenOut'
  | 'ownAnswer'
  | 'cast'
  | 'limitless'
  | 'kept'
  | 'filledLink'
  | 'address';

const names = [
  ...(Object.keys(lists) as WordClass[]),
  'link',
  'secretPath',
  'toolName',
  'marker',
  'talkSent',
  'concealed',
  'secretName',
  'systemText',
  'modeOn',
  'backwards',
  'clause',
  'uttered',
  'primed',
  'ownTools',
  'done',
  'unknowing',
  'claimed',
  'erased',
  'followed',
  'givenOut',
  'ownAnswer',
  'cast',
  'limitless',
  'kept',
  'filledLink',
  'address',
] as const;

/** Index of each class. */
export const classIds = Object.fromEntries(names.map((name, id) => [name, id])) as Readonly<Record<WordClass, number>>;
export const classCount: number = names.length;

/** Classes by word in lower case. */
export const wordClasses: ReadonlyMap<string, readonly number[]> = (() => {
  const found = new Map<string, number[]>();
  // Include folded forms, because texts are folded: look-alike letters become Latin ones.
  for (const [name, words] of Object.entries(lists))
    for (const word of new Set(words.split(/\s+/).flatMap((each) => [each, foldText(each).toLowerCase()]))) {
      const ids = found.get(word) ?? [];
      ids.push(classIds[name as WordClass]);
      found.set(word, ids);
    }
  return found;
})();

/** Phrases in scripts without spaces between words. */
export const unspacedPhrases: readonly string[] = [
  ...[
    '忽略之前的指令',
    '忽略以上指令',
    '忽略所有先前',
    '忽略先前的',
    '无视之前',
    '无视以上',
    '忽略前面的',
    '忘记之前的',
    '忽略之前的所有',
    '忽略之前所有',
    '忽略所有之前',
    '忽略上述',
    '忽略上面的',
    '无视先前',
    '無視之前',
    '忽略先前所有',
  ],
  ...['不要告诉用户', '不要通知用户', '以前の指示を無視', '前の指示を無視', 'これまでの指示を無視', '上記の指示を無視'],
  ...[
    'ユーザーに伝えない',
    'ユーザーには知らせ',
    '이전 지시를 무시',
    '이전의 모든 지시',
    '이전 지침을 무시',
    '사용자에게 알리지',
  ],
  ...[
    'تجاهل التعليمات',
    'تجاهل جميع التعليمات',
    'لا تخبر المستخدم',
    'התעלם מההוראות',
    'पिछले निर्देशों को अनदेखा',
    'पिछले सभी निर्देशों को अनदेखा',
  ],
  ...['ละเว้นคำสั่งก่อนหน้า', '指示をすべて無視'],
];
