/** Words that sentences to a model are made of, by what they contribute: English, and those that attacks in other languages use most. */
import { basis, enter, mixed } from '../shared/word-table';
import { foldCode } from './fold';
import { secretFiles } from './secret-files';

/** Lists, by their bit in the table. */
export const OVERRIDE: i32 = 0;
export const PRIOR: i32 = 1;
export const EVERY: i32 = 2;
export const DIRECTIVE: i32 = 3;
export const RULES: i32 = 4;
export const FRESH: i32 = 5;
export const MODEL: i32 = 6;
export const AGENT: i32 = 7;
export const DEAR: i32 = 8;
export const IF: i32 = 9;
export const ARE: i32 = 10;
export const TELL: i32 = 11;
export const NOT: i32 = 12;
export const USER: i32 = 13;
export const STEALTH: i32 = 14;
export const SEND: i32 = 15;
export const TALK: i32 = 16;
export const SECRET: i32 = 17;
export const CALL: i32 = 18;
export const TOOL: i32 = 19;
export const MUST: i32 = 20;
export const YOU: i32 = 21;
export const NOW: i32 = 22;
export const YOURS: i32 = 23;
export const HARM: i32 = 24;
export const PERSONA: i32 = 25;
export const PRETEND: i32 = 26;
export const FIRST: i32 = 27;
export const REVEAL: i32 = 28;
export const CONSENT: i32 = 29;
export const ANSWER: i32 = 30;
export const VOID: i32 = 31;
export const READ: i32 = 32;
export const NO: i32 = 33;
export const WHAT: i32 = 34;
export const WORDS: i32 = 35;
export const REFUSE: i32 = 36;
export const DISABLE: i32 = 37;
export const PROTECTION: i32 = 38;
/** Of no list: how a word is written says what it is. */
export const LINK: i32 = 39;
export const SECRET_PATH: i32 = 40;
export const TOOL_NAME: i32 = 41;
export const MARKER: i32 = 42;
export const classes: i32 = 43;

const lists: StaticArray<string> = [
  ' ignore disregard forget override bypass neglect skip abandon discard overrule ignoring disregarding forgetting ignoriere ignorieren vergiss missachte ignorez ignorer oublie oubliez ignora ignorar olvida olvide omite dimentica ignorare esqueça esquece desconsidere negeer vergeet zignoruj ignoruj ignorera glöm игнорируй игнорируйте забудь забудьте проигнорируй ',
  ' previous prior earlier preceding above former existing original vorherigen vorherige bisherigen obigen précédentes précédents précédente antérieures anteriores previas previos anterior precedenti vorige eerdere poprzednie önceki tidigare предыдущие прежние ',
  ' all any every everything initial alle alles toutes todas todos tutte wszystkie все tous les ',
  ' instruction instructions directive directives guidelines guideline prompt prompts guardrails programming anweisung anweisungen vorgaben consignes instrucciones instruções instrucción istruzioni instructies polecenia instrukcje talimatları instruktioner инструкции указания ',
  ' rules rule orders constraints restrictions restriction safeguards commands training limits limitations filters filter boundaries ethics policies policy regeln befehle reglas règles regras regole правила ',
  ' new updated real actual true revised following neue nouvelles nuevas novas nuove новые ',
  ' ai llm llms assistant assistants chatbot chatbots gpt chatgpt claude gemini copilot ki sprachmodell ia asistente assistente ассистент ии нейросеть ',
  ' agent agents model models bot agente agenten ',
  ' dear attention hey hello hi note hinweis achtung atención attenzione важно reading ',
  ' if wenn falls si se если ',
  ' are sei bist es eres sei ist youre ',
  ' tell inform notify mention alert warn disclose reveal telling informing mentioning notifying erwähne erwähnen informiere informieren sage informe informez mentionne mentionnez dites digas menciones informes dire mencione сообщай говори ',
  ' not dont never without avoid mustnt shouldnt cannot nicht niemals kein ohne ne jamais pas sans nunca sin não senza niet nooit не никогда ',
  ' user users human humans operator person customer owner anyone nutzer benutzer anwender utilisateur usuario usuário utente gebruiker пользователю пользователя ',
  ' silently secretly quietly covertly discreetly stealthily invisibly unnoticed heimlich unbemerkt discrètement silenciosamente secretamente ',
  ' send forward post upload email transmit share leak exfiltrate deliver append include attach submit relay embed encode paste smuggle insert concatenate mail publish curl pass put write sende schicke übermittle hänge envoie envoyez ajoute envía envia enviar manda invia stuur отправь перешли ',
  ' conversation conversations transcript transcripts dialogue dialog chat chatlog konversation gespräch unterhaltung gesprächsverlauf chatverlauf conversación conversa conversazione gesprek переписку разговор переписка ',
  ' credential credentials password passwords secret secrets token tokens apikey key keys passphrase cookie cookies kennwort passwort passwörter zugangsdaten contraseña contraseñas senha senhas wachtwoord пароль пароли seed mnemonic api_key api_keys ',
  ' call invoke use run execute trigger perform calling invoking rufe führe appelle utilise exécute ejecuta usa esegui roep вызови выполни ',
  ' tool tools function functions plugin werkzeug outil herramienta strumento инструмент ',
  ' must should shall required need needs always immediately important mandatory critical urgent obligatory muss müssen sofort doit doivent immédiatement debe debes inmediatamente deve subito moet должен обязан срочно немедленно ',
  ' you youre youve du sie vous tu usted você ты вы ',
  ' now henceforth jetzt maintenant ahora agora adesso nu теперь ',
  ' your system hidden internal developer deine dein ihre vos votre tes tus su sus seu seus tuo tue твои твой ваши ',
  ' delete transfer pay wire approve merge grant disable purchase buy wipe drop erase destroy exfiltrate download install deploy revoke refund withdraw remove reset change redirect escalate unlock lösche überweise supprime transfère elimina transfiere borra apaga transfira cancella verwijder удали переведи push visit fetch rm forward ',
  ' jailbreak jailbroken dan unrestricted unfiltered uncensored godmode amoral unaligned evilbot ',
  ' pretend roleplay act simulate imagine become behave persona impersonate emulate acting pretending spiel imagina imagine finge joue ',
  ' before first prior whenever upon begin instead vor bevor zuerst avant antes prima voor прежде ',
  ' reveal print repeat output display recite disclose echo dump show give leak paste zeige wiederhole affiche répète muestra repite revela mostra ripeti покажи повтори verbatim ',
  ' asking ask confirmation confirming approval permission consent nachfrage rückfrage bestätigung demander confirmación confirmação conferma подтверждения ',
  ' respond reply answer rate recommend rank praise conclude claim antworte réponds responde rispondi ответь ',
  ' void superseded cancelled canceled obsolete nullified overridden ignored disregarded ungültig aufgehoben annulées anuladas ',
  ' read open cat access retrieve lies lese lis lee leggi прочитай ',
  ' no without zero free none ohne sans sin senza sem ',
  ' what which tell ',
  ' text words word content sentences sentence lines message paragraph text ',
  ' refuse refuses refusing decline declines reject warnings disclaimers disclaimer apologize apologise moralize ',
  ' disable disabling bypass deactivate circumvent evade suspend turn off deaktiviere umgehe désactive desactiva ',
  ' approval approvals guard guardrail guardrails sandbox safety confirmation confirmations governance moderation oversight auditing censorship safeguards ',
];

/** Sentences of scripts that put no blanks between words. */
export const unspaced: StaticArray<string> = [
  '忽略之前的指令',
  '忽略以上指令',
  '忽略所有先前',
  '忽略先前的',
  '无视之前',
  '无视以上',
  '忽略前面的',
  '忘记之前的',
  '不要告诉用户',
  '不要通知用户',
  '以前の指示を無視',
  '前の指示を無視',
  'これまでの指示を無視',
  '上記の指示を無視',
  '指示をすべて無視',
  'ユーザーに伝えない',
  'ユーザーには知らせ',
  '이전 지시를 무시',
  '이전의 모든 지시',
  '이전 지침을 무시',
  '사용자에게 알리지',
];

/** Marks by which conversations are written down for models. */
export const markers: StaticArray<string> = [
  '<|im_start|>',
  '<|im_end|>',
  '<|system|>',
  '<|user|>',
  '<|assistant|>',
  '[inst]',
  '[/inst]',
  '<<sys>>',
  '<</sys>>',
  '<important>',
  '<system>',
  '<system_prompt>',
  '<system-reminder>',
  '<instructions>',
  '[system]',
  '[system message]',
  '</tool_result>',
  '<tool_result>',
  '</function_results>',
  '<function_results>',
  '</tool_response>',
  '<assistant>',
  '<admin>',
  '[assistant]',
  '<override>',
  '### system',
  '### instruction',
];

export function learnLists(): void {
  for (let i = 0; i < lists.length; i++) learnFolded(lists[i], (<u64>1) << i);
  learnFolded(secretFiles, secretFile);
}

/** A word of `secretFiles`; whether it names a file is known by what stands before it. */
export const secretFile: u64 = (<u64>1) << 62;

/** As they are read: without accents, with Latin letters for those that look like them. */
function learnFolded(words: string, bit: u64): void {
  let hash = basis;
  for (let i = 1; i < words.length; i++) {
    const code = words.charCodeAt(i);
    if (code === 0x20) {
      enter(hash, bit);
      hash = basis;
    } else hash = mixed(hash, <u32>foldCode(code));
  }
}
