/**
 * What this build of the fence lets pass. A filter has no settings of its own: change this file, build, and sign the module, so that
 * the digest names the settings as well. Lists are words between single spaces, in lower case and ASCII.
 */

/** Of: latin greek cyrillic hebrew arabic indic thai han kana hangul other. */
export const allowedScripts = ' latin ';

/** Of the languages in `languages.ts`. */
export const allowedLanguages = ' english german french spanish ';

/** Letters of other scripts that may stand in a text, such as a name or an address that is quoted. */
export const foreignLetters = 12;

/**
 * Refused topics. Words that end in `*` stand for everything that begins so. A topic is found when three of its different words stand
 * within 60 words, or two of which one is in the list of words that belong to nothing else.
 */
export const topics: StaticArray<string> = ['gambling', 'weapons', 'drugs', 'investment advice'];
export const topicWords: StaticArray<string> = [
  ' bet bets betting casino* odds roulette blackjack poker jackpot* wager* slots slot bookmaker* parlay stake* payout* gamble* gambling bookie* spins wette* einsatz quoten casinos apuesta* pari* croupier bankroll* handicap* ',
  ' gun guns rifle* pistol* ammunition ammo firearm* silencer* suppressor* caliber calibre handgun* shotgun* explosive* detonator* grenade* trigger receiver serial munition waffe* gewehr* arma armes fusil* unregistered untraceable ',
  ' cocaine heroin mdma meth methamphetamine lsd ecstasy ketamine fentanyl dealer* dosage snort* smoke weed cannabis grams dose* high pills drogue* droga* drogen kokain* cook* synthes* darknet opioid* ',
  ' invest* stock* shares portfolio* crypto* bitcoin dividend* broker* buy sell hedge leverage* options etf* bond* savings returns forecast* aktie* acciones bourse actions rendite* ',
];
/** One of them and another word of the topic are enough. */
export const topicOwnWords: StaticArray<string> = [
  ' casino* roulette blackjack poker bookmaker* wager* jackpot* bookie* parlay gambling ',
  ' rifle* pistol* ammunition ammo firearm* handgun* shotgun* grenade* detonator* silencer* ',
  ' cocaine heroin mdma methamphetamine fentanyl lsd ketamine kokain* ',
  ' bitcoin etf* dividend* aktie* rendite* ',
];
