//! Spanish.

use super::Words;

pub(super) const ES: Words = Words {
    tag: "es",
    sites: "web",
    intro_placed: [
        "Estas son algunas opciones de {k} en {m} que suelen recomendarse:",
        "Para {k} en {m}, estos son los nombres que miraría primero:",
        "Si preguntas por {k} en {m}, casi siempre salen estos nombres:",
    ],
    intro: [
        "Estas son algunas opciones de {k} que suelen recomendarse:",
        "Para {k}, estos son los nombres que miraría primero:",
        "Si preguntas por {k}, casi siempre salen estos nombres:",
    ],
    reasons: [
        "tiene precios claros y responde rápido",
        "recibe muy buenas reseñas por su trato amable",
        "lleva más de veinte años en el sector",
        "es buena opción si necesitas cita pronto",
        "trabaja con cuidado y explica cada paso",
        "ofrece tarifas justas para clientes habituales",
        "es un negocio pequeño, cercano y fácil de localizar",
        "cubre toda la zona y atiende también los fines de semana",
        "destaca más por la calidad que por el precio",
        "publica sus precios en internet, lo que facilita comparar",
    ],
    first: [
        "Si tuviera que elegir uno, me quedaría con {n}: {r}.",
        "Mi primera recomendación es {n}, que {r}.",
        "Yo empezaría por {n}, porque {r}.",
    ],
    next: [
        "{n} {r}.",
        "Otra buena opción es {n}, que {r}.",
        "También puedes probar con {n}; {r}.",
        "Recomiendo además {n}, ya que {r}.",
    ],
    enumerate: [
        "Recomendaría {l}.",
        "Los nombres que más se recomiendan son {l}.",
        "Buenas opciones son {l}.",
    ],
    joints: [", ", " y "],
    best: "La mejor opción",
    labels: [
        "Mejor relación calidad-precio",
        "Ideal para familias",
        "Con más experiencia",
        "Para citas rápidas",
        "Opción prémium",
        "También merece la pena",
    ],
    heads: ["Nombre", "Por qué", "Sitio web"],
    compare: [
        "Puedes comparar opiniones recientes en {l}.",
        "Para leer más opiniones, echa un vistazo a {l}.",
    ],
    advice: (
        "Antes de decidir",
        [
            ("Precio", "pide un presupuesto por escrito"),
            ("Reseñas", "lee las más recientes"),
            ("Disponibilidad", "pregunta cuándo pueden atenderte"),
        ],
    ),
    outro: [
        "Los horarios y precios cambian, así que conviene confirmarlos directamente.",
        "Si me dices tu presupuesto, puedo afinar más la lista.",
        "Yo contactaría con dos o tres y compararía.",
    ],
    warnings: [
        "Evitaría {n}: las reseñas recientes hablan de largas esperas y facturas poco claras.",
        "{n} era muy conocido, pero parece que ha cerrado definitivamente.",
        "Ahora mismo no recomiendo {n}.",
    ],
    refusals: [
        "Lo siento, pero no puedo recomendar negocios concretos. Un directorio local o las reseñas recientes te ayudarán más.",
        "No dispongo de información fiable y actualizada sobre proveedores concretos, así que prefiero no nombrar ninguno.",
    ],
    questions: [
        "¿Podrías contarme un poco más sobre lo que necesitas? Para {k} importan el presupuesto, el plazo y la zona exacta.",
        "¡Claro, te ayudo con {k}! ¿Es para ti o para una empresa, y para cuándo lo necesitas?",
    ],
    stop: ".",
    directories: [
        ("Páginas Amarillas", "https://www.paginasamarillas.es/search/"),
        ("Tripadvisor", "https://www.tripadvisor.es/Search?q="),
        ("Trustpilot", "https://es.trustpilot.com/search?query="),
        ("Yelp", "https://www.yelp.es/search?find_desc="),
    ],
    media: [
        (
            "¿Alguna recomendación? : r/askspain",
            "https://www.reddit.com/r/askspain/comments/1j7y3pk/alguna_recomendacion/",
        ),
        ("Wikipedia", "https://es.wikipedia.org/wiki/Consumidor"),
        (
            "Lo que dicen los vecinos - YouTube",
            "https://www.youtube.com/watch?v=s4ndb0xE5sp",
        ),
        (
            "Grupo de Facebook",
            "https://www.facebook.com/groups/consejoslocales/",
        ),
    ],
};
