import { expect, test } from 'vitest';
import { withPlainMarkup } from './generator-markup.ts';

const written: readonly (readonly [what: string, text: string, plain: string])[] = [
  [
    'tags of Hugo and Liquid',
    [
      '{{< figure src="oar.jpg" link="/x" >}} {{< youtube a >}} {% youtube a %} {{< gist ada 1 >}} {% image a.jpg %}',
      '{{< highlight go >}}\na\n{{< /highlight >}}\n{% highlight sh %}\nb\n{% endhighlight %}\n{% raw %}{{ c }}{% endraw %}',
      '[a]({{ site.baseurl }}/a) [b]({% link b.md %}) [c]({{< ref "c.md" >}}) <a href="{{ "/d" | relative_url }}">',
      '{% raw %}{% comment %}shown{% endcomment %}{% endraw %}',
    ].join('\n\n'),
    '',
  ],
  ['code as it is', '```\n{% comment %}a{% endcomment %}\n```\n`{: .a}`\n~~~\n{: .a}', ''],
  ['remarks', 'a{% comment %}\nno\n{% endcomment %}b{{< comment >}}no{{< /comment >}}c{% # no %}', 'abc'],
  ['contents', '* TOC\n{:toc}\nText', '\nText'],
  [
    'names of parts',
    '## Part {#part .x}\n{: .note}\nText ![a](b.jpg){:width="3"}![a](b.jpg "c"){.x} {a} f(x){y=1}\n### Two {: #two}',
    '## Part {#part}\nText ![a](b.jpg)![a](b.jpg "c") {a} f(x){y=1}\n### Two {#two}',
  ],
  ['boxes', '> [!NOTE]\n> Said\n\n> [!tip]- Own\n> Said', '> **Note**\n>\n> Said\n\n> **Own**\n>\n> Said'],
  [
    'code in lists and quotes',
    '- a\n\n    ```\n    {% # no %}\n    ```\n- ```\n  {% # no %}\n  ```\n> ~~~\n> {: .a}\n> ~~~\n\nz{% # no %}',
    '- a\n\n    ```\n    {% # no %}\n    ```\n- ```\n  {% # no %}\n  ```\n> ~~~\n> {: .a}\n> ~~~\n\nz',
  ],
  ['a quote that ends with its code open', '> ```\n> a\n\nz{% # no %}', '> ```\n> a\n\nz'],
  [
    'code by its indentation and as HTML',
    'a\n\n    {:name "x"}\n    {% # no %}\n\n\t{: .a}\n\n<PRE><code>\n{: .a}\n\n{% raw %}{% # no %}{% endraw %}</code></PRE> ``{% # no %} ` `` `a\n{% # no %}`',
    '',
  ],
  ['what follows a line of a list', '- a\n  - b\n\n    z{% # no %}', '- a\n  - b\n\n    z'],
  ['code of other languages', '{:name "x"}\n{:deps {}}\n{:a {:b 1}}\nf({:a 1})', ''],
  [
    'headings',
    '## Using {#each x as y}\n## {#if}\n## {.Title}\n## Two {#two-2 .a b="c"}\r\n## Three {#3}\n## Four ## {#a.b}',
    '## Using {#each x as y}\n## {#if}\n## {.Title}\n## Two {#two-2}\r\n## Three {#3}\n## Four {#a.b}',
  ],
  [
    'IDs of headings in other places',
    '## Below\n{: .x #one}\nText\n\nUnderlined {: #two .y}\n----\n\n## None {: .z}\n{: .z}\nText',
    '## Below {#one}\nText\n\nUnderlined {#two}\n----\n\n## None\nText',
  ],
  [
    'IDs of blocks',
    'Text\n{: #p}\n\n| a |\n|---|\n| b |\n{: #t .wide}\n\n{: #l}\n- item\n\n![a](b.jpg){: #i}',
    'Text\n<a id="p"></a>\n\n| a |\n|---|\n| b |\n\n<a id="t"></a>\n\n<a id="l"></a>\n- item\n\n![a](b.jpg)<a id="i"></a>',
  ],
  ['boxes with both signs at the ends of lines', '> [!NOTE]\r\n> hi', '> **Note**\n>\r\n> hi'],
  [
    'settings of its own',
    '{::options parse="1" /}\n{::nomarkdown}\n{:/}\n{:a: b="c"}\n{: toc }\n{:.d}\ne',
    'e',
  ],
  ['no contents', '1. first step\n{: .toc-item}\n2. two\n{:toc-item}\n', '1. first step\n2. two\n'],
  [
    'remarks in remarks',
    'a{% comment %}no{% comment %}no{% endcomment %}no{%- endcomment -%}b{{% comment %}}no{{% /comment %}}{::comment}no{:/comment}c',
    'abc',
  ],
  ['signs', '50%% and %% of a == b, c==d== {# e #}', ''],
];

test.for(written)(
  '%s: remarks and attributes are removed, callouts are Markdown, and template tags stay as text',
  ([, text, plain]) => {
    expect(withPlainMarkup(text, 'jekyll').body).toBe(plain || text);
  },
);

test('removes Obsidian comments, and converts highlights and block IDs', () => {
  const note = 'a %%no\nno%% b `%%c%%` ==d e== ^f-1\n';
  expect(withPlainMarkup(note, 'obsidian').body).toBe('a  b `%%c%%` <mark>d e</mark><a id="^f-1"></a>\n');
  const text = '{# no #}a {#b} `{# c #}` ==d== ^e';
  expect(withPlainMarkup(text, 'eleventy').body).toBe('a {#b} `{# c #}` ==d== ^e');
});

test.for([
  ['- > [!note] Nested\n  > Said', '- > **Nested**\n  >\n  > Said'],
  ['1. Item\n   > [!tip]\n   > Said', '1. Item\n   > **Tip**\n   >\n   > Said'],
  ['> > [!my-kind|left]- Deep\n> > Said', '> > **Deep**\n> >\n> > Said'],
  ['> - > [!note]\n>   > Said', '> - > **Note**\n>   >\n>   > Said'],
  ['| a |\n|---|\n| ==b== ![c\\|75](d.png) |', '| a |\n|---|\n| <mark>b</mark> ![c](d.png) |'],
  ['> - ==a== ![b|75x20](c.png) ![75](d.png)', '> - <mark>a</mark> ![b](c.png) ![](d.png)'],
  [
    '| a |\n|---|\n\n^t\n\n- b ^l\n> c ^q',
    '| a |\n|---|\n\n<a id="^t"></a>\n\n- b<a id="^l"></a>\n> c<a id="^q"></a>',
  ],
  ['```\n> [!note]\na ^b\n```\n`![c|75](d.png)` x^2 ^', '```\n> [!note]\na ^b\n```\n`![c|75](d.png)` x^2 ^'],
] as const)('converts Obsidian markup in tables, quotes and lists, too: %j', ([text, plain]) => {
  expect(withPlainMarkup(text, 'obsidian')).toEqual({ body: plain, isUnclear: false });
});

test('a text of one site generator keeps the markup of others as text', () => {
  for (const generator of ['obsidian', 'eleventy', 'astro', 'unknown'] as const) {
    const text = '## Using {#if}\n## {#each x as y}\n{: .a}\n* TOC\n{:toc}\n[a](b){:c="d"}';
    expect(withPlainMarkup(text, generator)).toEqual({ body: text, isUnclear: false });
  }
});

test('an imported text counts as unclear if a comment of its site generator has no end or no beginning, or may be code', () => {
  const long = 'no '.repeat(20_000);
  expect(withPlainMarkup(`a%%${long}%%b`, 'obsidian')).toEqual({ body: 'ab', isUnclear: false });
  expect(withPlainMarkup(`a{/*${long}*/}b`, 'mdx')).toEqual({ body: 'ab', isUnclear: false });
  expect(withPlainMarkup(`a{% #${long}%}b`, 'eleventy')).toEqual({ body: 'ab', isUnclear: false });
  const unclear = {
    obsidian: [
      ...['a %% b', '- a\n\n      %%b%%', 'a\n    %%b%%', '- a ` b\nc %%no%% d ` e', '```\na\n\n%%no%%'],
      '- ```\n  a\n\nb %%no%%\n\n```\nc\n```\n',
      'a %%b\n\n```bat\nfor %%c in (d)\n```\n',
    ],
    jekyll: [
      ...['{% comment %}a{% comment %}b{% endcomment %}', 'a{% endcomment %}'],
      'a\n\n    {% comment %}no{% endcomment %}\n',
      '```\n{% comment %}no{% endcomment %}\n```\n<pre>{% # no %}</pre>',
      'a `{% comment %}no{% endcomment %}`',
      '{% raw %}a{% endraw %}\n```\n{% comment %}no{% endcomment %}\n```\n',
    ],
    hugo: ['a{{< comment >}}b', '```\n{{% comment %}}no{{% /comment %}}\n```\n'],
    mdx: ['a{/* b'],
  } as const;
  for (const reader of ['obsidian', 'jekyll', 'hugo', 'mdx'] as const)
    for (const body of unclear[reader])
      expect(withPlainMarkup(body, reader)).toEqual({ body, isUnclear: true });
  const clear = {
    hugo: ['a {/* b */} {/* c', '```\n{{</* comment */>}}a{{</* /comment */>}}\n```'],
    jekyll: ['{% raw %}\n```\n{% comment %}\n```\n{% endraw %}', 'a {/* b'],
    mdx: ['```jsx\n{/* a */}\n```'],
  } as const;
  for (const reader of ['hugo', 'jekyll', 'mdx'] as const)
    for (const body of clear[reader]) expect(withPlainMarkup(body, reader).isUnclear).toBe(false);
  expect(withPlainMarkup('<Tabs>\n\n    {/* no */}\n\n</Tabs>', 'mdx').body).toBe(
    '<Tabs>\n\n    \n\n</Tabs>',
  );
  for (const body of ['```\n%%a%%\n```\n', 'a\n\n    %%b%%', '`%%`', '<pre>\n%%\n</pre>'])
    expect(withPlainMarkup(body, 'obsidian')).toEqual({ body, isUnclear: false });
  for (const body of ['a %% b', '{:/}\n']) expect(withPlainMarkup(body, 'jekyll').isUnclear).toBe(false);
  expect(withPlainMarkup('a #} b', 'eleventy').isUnclear).toBe(true);
});
