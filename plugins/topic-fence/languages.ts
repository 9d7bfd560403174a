/** Common short words that identify a language. A word that occurs in two languages counts for both. */
export const languages: StaticArray<string> = [
  'english',
  'german',
  'french',
  'spanish',
  'italian',
  'portuguese',
  'dutch',
  'polish',
  'swedish',
  'turkish',
];

export const smallWords: StaticArray<string> = [
  ' the and of to is in that it for you was on are with as at be this have from or by not but what can please my we your which if will how do ',
  ' der die und das ist nicht ein eine ich sie wir mit zu den von auf dem des auch es im wie was bitte kann bei aus noch nach wird haben oder sind mein ',
  ' le la les et est un une des que je vous nous dans pour pas sur au avec du ce qui ne mon mais plus sont cette comment votre il elle ',
  ' el la los las y es un una que de en por para con no se su mi como pero lo al del esta este puede por favor cuando muy hay ',
  ' il lo gli le che di e un una per non con sono mi del della nel alla anche come questo questa ho quando dove molto vorrei mio grazie puoi ',
  ' o os as um uma que de e para com meu minha por mas como isso esta este quando muito onde eu ele ela nos foi ser tem obrigado voce pode da dos ',
  ' de het een en van ik je niet dat is op te met voor zijn er aan ook maar om bij naar wat hoe kan mijn wij heb deze worden graag ',
  ' nie jest na w z do i to co jak sie mam czy moje dla tak ale od po przez prosze tego moge dzien byl jego kiedy gdzie ',
  ' och att det som en jag inte vi med den har till av ett kan hur min om men mycket tack vill eller ska finns vara vad ',
  ' ve bir bu da de icin ile ne var mi benim ben siz nasil ama gibi daha olarak sonra lutfen zaman evet hayir bana beni kadar ',
];
