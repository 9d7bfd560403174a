/** Expression words of `find`. */

/** Tests and actions of `find`, grouped by the number and role of the words that follow. */
export const findWords = {
  /** Words that take no argument and show names at most. */
  plain: `-print -print0 -ls -prune -quit -depth -d -daystart -follow -mount -xdev -noleaf -empty -true -false -nouser -nogroup -readable
    -writable -executable -a -o -and -or -not -warn -nowarn -ignore_readdir_race -noignore_readdir_race ! ( ) ,`,
  /** Words whose argument is visible to rules. */
  words: `-type -xtype -size -atime -ctime -mtime -amin -cmin -mmin -perm -user -group -maxdepth -mindepth -fstype -links -inum -uid -gid
    -used -regextype -context`,
  /** Words whose argument is hidden from rules about paths and commands. */
  texts: '-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -printf',
  reads: '-newer -anewer -cnewer -samefile',
  writes: '-fprint -fprint0 -fls',
  runs: '-exec -execdir -ok -okdir',
} as const;
