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
  [
    'remarks',
    'a{% comment %}\nno\n{% endcomment %}b{{< comment >}}no{{< /comment >}}c{/* no */}d{% # no %}',
    'abcd',
  ],
  ['what is not looked through', '{% raw %}{{ a }}{% endraw %}', '{{ a }}'],
  ['contents', '* TOC\n{:toc}\nText', '\nText'],
  [
    'names of parts',
    '## Part {#part .x}\n{: .note}\nText ![a](b.jpg){:width="3"}![a](b.jpg "c"){.x} {a} f(x){y=1}\n### Two {: #two}',
    '## Part\nText ![a](b.jpg)![a](b.jpg "c") {a} f(x){y=1}\n### Two',
  ],
  ['boxes', '> [!NOTE]\n> Said\n\n> [!tip]- Own\n> Said', '> **Note**\n>\n> Said\n\n> **Own**\n>\n> Said'],
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
