import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import { ownMark } from './anchors.ts';

/** Items of lists that begin with `[ ]` or `[x]` get a box that shows whether they are done. */
export function taskLists({ core: { ruler } }: MarkdownIt) {
  ruler.after('inline', 'task_list', (state) => {
    const lists: Token[] = [];
    let boxes = 0;
    for (const [at, token] of state.tokens.entries()) {
      if (isList(token)) token.nesting > 0 ? lists.push(token) : lists.pop();
      const [item, paragraph] = [state.tokens[at - 2], state.tokens[at - 1]];
      if (item?.type !== 'list_item_open' || paragraph?.type !== 'paragraph_open') continue;
      const box = /^\[([ xX\u00a0])\][ \u00a0]/.exec(token.content);
      if (!box) continue;
      addBox(state, token, { id: `task-item--${ownMark}-${boxes++}`, isDone: /x/i.test(box[1] ?? '') });
      item.attrSet('class', 'task-list-item');
      lists.at(-1)?.attrSet('class', 'task-list-container');
    }
  });
}

const isList = ({ type }: Token) => /^(bullet|ordered)_list_/.test(type);

function addBox({ Token }: StateCore, text: Token, { id, isDone }: { id: string; isDone: boolean }) {
  const [first] = text.children ?? [];
  if (!first || !text.children) return;
  first.content = first.content.slice('[ ]'.length);
  const box = new Token('checkbox_input', 'input', 0);
  box.attrs = [
    ['type', 'checkbox'],
    ['class', 'task-list-item-checkbox'],
    ['id', id],
    ...(isDone ? [['checked', 'checked'] as [string, string]] : []),
    ['disabled', 'disabled'],
  ];
  const label = new Token('label_open', 'label', 1);
  label.attrs = [
    ['class', 'task-list-item-label'],
    ['for', id],
  ];
  text.children = [box, label, ...text.children, new Token('label_close', 'label', -1)];
}
