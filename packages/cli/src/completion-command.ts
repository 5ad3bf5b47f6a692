// `heddle completion`: what a shell needs to complete command lines, made from the commands that there are.

import type { Command } from 'commander';
import { exitCodes } from './command-error.ts';
import { output } from './terminal.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

/** A command by its path (`keys create`), with what may follow it. */
interface Entry {
  readonly path: string;
  readonly description: string;
  readonly commands: readonly Command[];
  readonly options: Command['options'];
}

export function completionCommand(program: Command, shell: Shell): Promise<number> {
  const entries = [...entriesOf(program)];
  const write = { bash: writeBash, zsh: writeZsh, fish: writeFish }[shell];
  output.line(write(entries));
  return Promise.resolve(exitCodes.done);
}

/** The commands and those below them: two levels, and no more. */
function* entriesOf(program: Command): Iterable<Entry> {
  yield entryOf('', program);
  for (const command of program.commands) {
    yield entryOf(command.name(), command);
    for (const sub of command.commands) yield entryOf(`${command.name()} ${sub.name()}`, sub);
  }
}

function entryOf(path: string, command: Command): Entry {
  return { path, description: command.description(), commands: command.commands, options: command.options };
}

function wordsOf({ commands, options, path }: Entry): string {
  const help = path === '' ? ['--help', '--version'] : ['--help'];
  const names = [...commands.map((command) => command.name()), ...options.flatMap(({ long }) => long ?? []), ...help];
  return [...new Set(names)].join(' ');
}

/** The words that an option takes, if they are few; without `*`, which a shell takes for the names of files. */
function wordsFor({ argChoices }: Command['options'][number]): string | null {
  return argChoices ? argChoices.filter((word) => word !== '*').join(' ') : null;
}

/** Options that take one of a few words. */
function choicesOf(entries: readonly Entry[]): readonly (readonly [string, string])[] {
  const choices = new Map<string, string>();
  for (const option of entries.flatMap(({ options }) => options)) {
    const words = wordsFor(option);
    if (option.long && words !== null) choices.set(option.long, words);
  }
  return [...choices];
}

const groupsOf = (entries: readonly Entry[]): string =>
  entries.flatMap(({ path, commands }) => (path !== '' && commands.length > 0 ? [path] : [])).join('|');

function casesOf(entries: readonly Entry[]): string {
  return entries.map((entry) => `    '${entry.path}') words='${wordsOf(entry)}' ;;`).join('\n');
}

function valueCases(entries: readonly Entry[]): string {
  return choicesOf(entries)
    .map(([option, words]) => `    ${option}) words='${words}' ;;`)
    .join('\n');
}

// What bash and zsh say in the same words.

function followCommand(entries: readonly Entry[], word: string): string {
  return `    case "${word}" in
    -*) ;;
    *)
      case "$command" in
      '') command="${word}" ;;
      ${groupsOf(entries)}) command="$command ${word}" ;;
      esac
      ;;
    esac`;
}

function chooseWords(entries: readonly Entry[]): string {
  return `  case "$command" in
${casesOf(entries)}
  esac
  case "$previous" in
${valueCases(entries)}
  esac`;
}

function writeBash(entries: readonly Entry[]): string {
  return `# heddle completion bash: load it with: source <(heddle completion bash)
_heddle() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" command='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
${followCommand(entries, '${COMP_WORDS[i]}')}
  done
${chooseWords(entries)}
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${#COMPREPLY[@]} -gt 0 || "$current" == -* ]] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _heddle heddle`;
}

function writeZsh(entries: readonly Entry[]): string {
  return `#compdef heddle
# heddle completion zsh: load it with: source <(heddle completion zsh)
_heddle() {
  local previous="\${words[CURRENT - 1]}" command='' i
  local -a given=("\${(@)words}")
  for ((i = 2; i < CURRENT; i++)); do
${followCommand(entries, '${given[i]}')}
  done
  local words=''
${chooseWords(entries)}
  compadd -- \${=words}
  _files
}
compdef _heddle heddle`;
}

function writeFish(entries: readonly Entry[]): string {
  const lines = ['# heddle completion fish: load it with: heddle completion fish | source'];
  for (const entry of entries) {
    const when = conditionOf(entry);
    for (const command of entry.commands)
      lines.push(`complete -c heddle -n '${when}' -a ${command.name()} -d ${fishText(command.description())}`);
    for (const option of entry.options) {
      const { long, description, required } = option;
      const words = wordsFor(option);
      const value = words !== null ? ` -xa '${words}'` : required ? ' -r' : '';
      if (long) lines.push(`complete -c heddle -n '${when}' -l ${long.slice(2)}${value} -d ${fishText(description)}`);
    }
  }
  return lines.join('\n');
}

function conditionOf({ path, commands }: Entry): string {
  if (path === '') return '__fish_use_subcommand';
  const seen = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  const below = commands.map((command) => command.name()).join(' ');
  return [...seen, ...(below === '' ? [] : [`not __fish_seen_subcommand_from ${below}`])].join('; and ');
}

const fishText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
