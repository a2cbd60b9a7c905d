import { expect, test } from 'vitest';
import { withPlainMarkup } from './own-markup.ts';

const written: readonly (readonly [what: string, text: string, plain: string])[] = [
  [
    'a picture of Hugo',
    '{{< figure src="oar.jpg" alt="An [oar]" title="Oar" caption="Say \\"no\\"" width=300 >}}',
    '![An \\[oar\\]](<oar.jpg> "Oar · Say &quot;no&quot;")',
  ],
  [
    'one that is a link',
    '{{<figure src="a b.jpg" link="/x">}} {{< figure >}}',
    '[![](<a b.jpg>)](</x>) {{< figure >}}',
  ],
  [
    'films',
    '{{< youtube dQw4w9WgXcQ >}} {{< youtube id="a_b" autoplay="true" >}} {% youtube x-y %} {{< vimeo 1 >}}',
    [
      '<https://www.youtube.com/watch?v=dQw4w9WgXcQ> <https://www.youtube.com/watch?v=a_b>',
      '<https://www.youtube.com/watch?v=x-y> <https://vimeo.com/1>',
    ].join(' '),
  ],
  [
    'what is shown of others',
    '{{< gist ada 1 >}} {% gist ada/1 %} {{< tweet user="ada" id="2" >}} {{< instagram x >}} {{< tweet 2 >}}',
    '<https://gist.github.com/ada/1> <https://gist.github.com/ada/1> <https://twitter.com/ada/status/2> <https://www.instagram.com/p/x/> {{< tweet 2 >}}',
  ],
  [
    'code',
    '{{< highlight go "linenos=table" >}}\na\n\nb\n{{< /highlight >}}\n{% highlight c++ %}\nc\n{% endhighlight %}',
    '```go\na\n\nb\n```\n```c++\nc\n```',
  ],
  ['code as it is', '```\n{% comment %}a{% endcomment %}\n```\n`{{< youtube x >}}`\n~~~\n{: .a}', ''],
  ['remarks', 'a{% comment %}\nno\n{% endcomment %}b{{< comment >}}no{{< /comment >}}c{% # no %}', 'abc'],
  ['what is not looked through', '{% raw %}{{ a }}{% endraw %}', '{{ a }}'],
  ['contents', '* TOC\n{:toc}\nText', '\nText'],
  [
    'names of parts',
    '## Part {#part .x}\n{: .note}\nText ![a](b.jpg){:width="3"}![a](b.jpg "c"){.x} {a} f(x){y=1}\n### Two {: #two}',
    '## Part\nText ![a](b.jpg)![a](b.jpg "c") {a} f(x){y=1}\n### Two',
  ],
  ['boxes', '> [!NOTE]\n> Said\n\n> [!tip]- Own\n> Said', '> **Note**\n>\n> Said\n\n> **Own**\n>\n> Said'],
  [
    'code between lines of their own',
    '1. Run\n\n   {% highlight sh %}\n   ls\n   {% endhighlight %}\n\n2. Next\r\n\r\n{% highlight "md" %}\r\n```\r\n{{< youtube x >}}\r\n````\r\n{% endhighlight %}\r\n{{< vimeo 1 >}}',
    '1. Run\n\n   ```sh\n   ls\n   ```\n\n2. Next\r\n\r\n`````md\r\n```\r\n{{< youtube x >}}\r\n````\r\n`````\r\n<https://vimeo.com/1>',
  ],
  [
    'code within a line, or that begins before its mark does',
    'See {% highlight sh %}{{< youtube x >}}{% endhighlight %} more\n\n- a\n\n  {% highlight sh %}\n{: .a}\n  {% endhighlight %}\n\n{% highlight sh %}\nls {% endhighlight %}\n{% highlight sh %}\n[a]({% link b.md %})\n{% endhighlight %} more',
    '',
  ],
  [
    'code in lists and quotes',
    '- a\n\n    ```\n    {{< youtube x >}}\n    ```\n- ```\n  {{< youtube x >}}\n  ```\n> ~~~\n> {: .a}\n> ~~~\n\n{{< vimeo 1 >}}',
    '- a\n\n    ```\n    {{< youtube x >}}\n    ```\n- ```\n  {{< youtube x >}}\n  ```\n> ~~~\n> {: .a}\n> ~~~\n\n<https://vimeo.com/1>',
  ],
  [
    'a quote that ends with its code open',
    '> ```\n> a\n\n{{< vimeo 1 >}}',
    '> ```\n> a\n\n<https://vimeo.com/1>',
  ],
  [
    'code by its indentation and as HTML',
    'a\n\n    {:name "x"}\n    {{< youtube x >}}\n\n\t{: .a}\n\n<PRE><code>\n{: .a}\n\n{% raw %}{{< youtube x >}}{% endraw %}</code></PRE> ``{{< youtube x >}} ` `` `a\n{{< youtube x >}}`',
    '',
  ],
  [
    'what follows a line of a list',
    '- a\n  - b\n\n    {{< vimeo 1 >}}',
    '- a\n  - b\n\n    <https://vimeo.com/1>',
  ],
  ['code of other languages', '{:name "x"}\n{:deps {}}\n{:a {:b 1}}\nf({:a 1})', ''],
  [
    'headings',
    '## Using {#each x as y}\n## {#if}\n## {.Title}\n## Two {#two-2 .a b="c"}\r\n## Three {#3}',
    '## Using {#each x as y}\n## {#if}\n## {.Title}\n## Two\r\n## Three',
  ],
  ['boxes with both signs at the ends of lines', '> [!NOTE]\r\n> hi', '> **Note**\n>\r\n> hi'],
  [
    'code in a quote',
    '> {{< highlight go >}}\n> a\n>\n> b\n> {{< /highlight >}}\n> c',
    '> ```go\n> a\n>\n> b\n> ```\n> c',
  ],
  [
    'settings of its own',
    '{::options parse="1" /}\n{::nomarkdown}\n{:/}\n{:a: b="c"}\n{: toc }\n{:.d}\ne',
    'e',
  ],
  ['no contents', '1. first step\n{: .toc-item}\n2. two\n{:toc-item}\n', '1. first step\n2. two\n'],
  [
    'files of gists',
    '{% gist ada/1 a.md %} {% gist 1 a.md %} {{< gist ada/1 a.md >}} {{< gist 0123456789abcdef0123 a.md >}}',
    '<https://gist.github.com/ada/1> <https://gist.github.com/1> <https://gist.github.com/ada/1> <https://gist.github.com/0123456789abcdef0123>',
  ],
  [
    'other signs around what is given',
    '{{< figure src=`x.jpg` alt=`y "z` title="C:\\\\" >}} {% image src=\'y.jpg\' %} {{< figure src="a\\\\" >}}',
    '![y "z](<x.jpg> "C:\\\\") ![](<y.jpg>) {{< figure src="a\\\\" >}}',
  ],
  [
    'remarks in remarks',
    'a{% comment %}no{% comment %}no{% endcomment %}no{%- endcomment -%}b{{% comment %}}no{{% /comment %}}{::comment}no{:/comment}c',
    'abc',
  ],
  [
    'links',
    '[a]({{ site.baseurl }}{% link a.md %}) <a href="{{ "/a" | relative_url }}"> [b]({{< ref "b.md" >}}) [c]({% post_url 2024-01-01-c %}){:target="_blank"} [d]({{ e }})',
    '[a](/a.md) <a href="/a"> [b](b.md) [c](/_posts/2024-01-01-c.md) [d]({{ e }})',
  ],
  ['links in code', '```html\n<a href="{{ "/a" | relative_url }}">\n```\n`[b]({% link b.md %})`', ''],
  ['signs', '50%% and %% of a == b, c==d== {# e #}', ''],
];

test.for(written)(
  '%s: what a generator made of its own markup is Markdown, where that has the like',
  ([, text, plain]) => {
    expect(withPlainMarkup(text, 'jekyll').body).toBe(plain || text);
  },
);

test('what a program for notes keeps out of sight is left out', () => {
  const note = 'a %%no\nno%% b `%%c%%` ==d e== ^f-1\n';
  expect(withPlainMarkup(note, 'obsidian').body).toBe('a  b `%%c%%` <mark>d e</mark>\n');
  const text = '{# no #}a {#b} `{# c #}` ==d== ^e';
  expect(withPlainMarkup(text, 'eleventy').body).toBe('a {#b} `{# c #}` ==d== ^e');
});

test('what looks like the markup of one program is left alone where another made the text', () => {
  for (const generator of ['obsidian', 'eleventy', 'astro', 'unknown'] as const) {
    const text = '## Using {#if}\n## {#each x as y}\n{: .a}\n* TOC\n{:toc}\n[a](b){:c="d"}';
    expect(withPlainMarkup(text, generator)).toEqual({ body: text, isUnclear: false });
  }
});

test('a text that may show a remark, since one has no end, no beginning or may be code, is known by it', () => {
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
    ],
    mdx: ['a{/* b'],
  } as const;
  for (const reader of ['obsidian', 'jekyll', 'mdx'] as const)
    for (const body of unclear[reader])
      expect(withPlainMarkup(body, reader)).toEqual({ body, isUnclear: true });
  const clear = {
    hugo: ['a {/* b */} {/* c', '```\n{{< comment >}}a{{< /comment >}}\n```'],
    jekyll: ['{% raw %}\n```\n{% comment %}\n```\n{% endraw %}', 'a {/* b'],
    mdx: ['```jsx\n{/* a */}\n```'],
  } as const;
  for (const reader of ['hugo', 'jekyll', 'mdx'] as const)
    for (const body of clear[reader]) expect(withPlainMarkup(body, reader).isUnclear).toBe(false);
  expect(withPlainMarkup('<Tabs>\n\n    {/* no */}\n\n</Tabs>', 'mdx').body).toBe(
    '<Tabs>\n\n    \n\n</Tabs>',
  );
  const ticks = `{% highlight x %}\n${'`\n'.repeat(200_000)}{% endhighlight %}\n`;
  expect(withPlainMarkup(ticks, 'jekyll').body).toMatch(/^```x\n/);
  for (const body of ['```\n%%a%%\n```\n', 'a\n\n    %%b%%', '`%%`', '<pre>\n%%\n</pre>'])
    expect(withPlainMarkup(body, 'obsidian')).toEqual({ body, isUnclear: false });
  for (const body of ['a %% b', '{:/}\n']) expect(withPlainMarkup(body, 'jekyll').isUnclear).toBe(false);
  expect(withPlainMarkup('a #} b', 'eleventy').isUnclear).toBe(true);
});
