# ruff: noqa: RUF001 - words of many scripts, some of whose letters look alike
"""Words of one category that exclude each other: instruments, drinks, animals, sports, languages. Never: how they are found.

One line is one thing in many languages; a star stands for any ending. Words that mean much else ("bar",
"pan", "te") are left out: what is missing here is only not seen.
"""

CATEGORY_WORDS = {
    "instruments": """
        piano* pianist* klavier* пианино фортепиано 钢琴 鋼琴 ピアノ
        violin* geige* geigen* violon violons violoniste скрипк* скрипач* 小提琴 バイオリン ヴァイオリン
        viola* bratsche* альт 中提琴 ビオラ
        cello* violoncell* violonchelo виолончел* 大提琴 チェロ
        guitar* gitarr* chitarr* guitarr* гитар* 吉他 ギター
        flute* querflote* flote* flauta* flauto flauti флейт* 长笛 笛子 フルート
        clarinet* klarinett* кларнет* 单簧管 クラリネット
        oboe* hautbois oboist* гобо* 双簧管 オーボエ
        trumpet* trompet* tromba труб* 小号 トランペット
        trombon* posaun* тромбон* 长号 トロンボーン
        saxophon* saxofon* sassofon* saxo саксофон* 萨克斯 サックス
        drum* schlagzeug* batterie* bateria* batteria барабан* 架子鼓 打鼓 ドラム
        harp* harfe* arpa арф* 竖琴 ハープ
        accordion* akkordeon* accordeon* acordeon* fisarmonic* аккордеон* баян* 手风琴 アコーディオン
        orgel* orgue* орган* 管风琴
        banjo* банджо
        ukulele* ukelele* укулеле 尤克里里 ウクレレ
        balalaika* балала* 古筝 guzheng 二胡 erhu 三味線 shamisen 琵琶
    """,
    "drinks": """
        coffee* kaffee* cafe cafes caffe espresso* cappuccino* latte кофе эспрессо 咖啡 コーヒー
        tea teas tee tees the infusion* чай чая чаю 茶 紅茶
        milk milch lait leche latte leite молок* 牛奶 牛乳 ミルク
        cocoa kakao cacao какао 可可 ココア
        juice* saft safte zumo* succo сок соки сока 果汁 ジュース
        wine* wein weine rotwein* weisswein* vino vinos vin vins vinho вино вина 葡萄酒 ワイン 红酒 白酒
        beer* bier biere cerveza* birra birre cerveja* пиво пива 啤酒 ビール
        cider* cidre sidra сидр*
        whisk* виски 威士忌 ウイスキー
        vodka* wodka* водк* 伏特加
        rhum ром
        gin джин
        日本酒 清酒
        lemonade* limonade* limonada* лимонад*
        cola coke coca кола 可乐 コーラ
        豆浆 豆乳 soymilk
    """,
    "animals": """
        cat cats katze* kater chat chats chatte gato gatos gata gatto gatti кот кота коту кошк* 猫 貓
        dog dogs hund hunde hunden hundin chien* perro perros perra perras cane cani cachorr* собак* пес пса 狗 犬
        horse* pferd* cheval chevaux caballo* cavall* лошад* конь коня
        rabbit* kaninchen* hase hasen lapin* conejo* conigli* кролик* 兔 うさぎ ウサギ
        hamster* хомяк* 仓鼠 ハムスター
        guinea meerschweinchen* cobaye* cobaya* 豚鼠 モルモット
        parrot* papagei* perroquet* loro loros pappagall* попуга* 鹦鹉 インコ オウム
        budgie* wellensittich* perruche* periquito*
        canary* kanarienvogel* canari canaris канарейк* 金丝雀
        tortoise* turtle* schildkrote* tortue* tortuga* tartarug* черепах* 乌龟 亀 カメ
        fish fische poisson* peces pesci рыбк* 金鱼 金魚
        snake* schlange* serpent* serpiente* зме* 蛇 ヘビ
        chicken* huhn huhner poule* gallina* gallin* куриц* 鸡 ニワトリ
        goat* ziege* chevre* cabra* capra capre коз* 山羊 ヤギ
        sheep schaf schafe mouton* oveja* pecor* овц* 绵羊 ヒツジ
        pig pigs schwein* cochon* cerdo* maial* свин* 猪 豚
        ferret* frettchen* furet* huron хорек*
        ratte* крыс* 老鼠 ネズミ
        gecko* gekko* геккон* 壁虎
    """,
    "sports": """
        football* soccer fussball* futbol* calcio футбол* 足球 サッカー
        handball* balonmano гандбол* 手球 ハンドボール
        basketball* baloncesto basket баскетбол* 篮球 バスケ バスケットボール
        volleyball* voleibol pallavolo волейбол* 排球 バレーボール
        tennis tenis теннис* 网球 テニス
        badminton badminton* бадминтон* 羽毛球 バドミントン
        squash
        rugby регби 橄榄球 ラグビー
        hockey хокке* 冰球 ホッケー
        cricket крикет*
        baseball* beisbol бейсбол* 棒球 野球
        golf гольф* 高尔夫 ゴルフ
        judo дзюдо 柔道
        karate каратэ карате 空手
        boxing boxe boxen boxeo бокс* 拳击 ボクシング
        fencing fechten escrime esgrima scherma фехтован* 击剑 フェンシング
        swim* schwimm* natation nage natacion nuoto плава* 游泳 水泳
        rowing ruder* aviron remo canottaggio гребл* 赛艇 ボート
        sailing segeln voile navega* парусн* 帆船
        climb* kletter* escalade escalada arrampicata скалолаз* 攀岩 クライミング ボルダリング
        yoga йог* 瑜伽 ヨガ
        pilates пилатес*
        ski skis skiing skifahren esqui лыж* 滑雪 スキー
        surf* серф* 冲浪 サーフィン
        chess schach echecs ajedrez scacchi шахмат* 象棋 チェス 将棋
        dance* dancing tanzen danse baile danza танц* 跳舞 ダンス
        running jogg* lauft laufen joggt correr corre бег* 跑步 ジョギング マラソン ランニング
        cycling radfahren cyclisme ciclismo велоспорт* サイクリング
        乒乓 乒乓球 卓球 太极 太极拳
    """,
    "languages": """
        english englisch* anglais* ingles inglesa inglese английск* англича* 英语 英語
        german deutsch* allemand* aleman* tedesc* немецк* немец* 德语 ドイツ語
        french franzosisch* francais* frances* французск* француз* 法语 フランス語
        spanish spanisch* espagnol* espanol* spagnol* испанск* 西班牙语 スペイン語
        italian italienisch* italien italienne italiano italiana итальянск* 意大利语 イタリア語
        portuguese portugiesisch* portugais* portugues* португальск* 葡萄牙语 ポルトガル語
        dutch niederlandisch* neerlandais* holandes* olandes* голландск* 荷兰语
        polish polnisch* polonais* polac* польск* 波兰语
        russian russisch* russe* ruso rusa russo русск* 俄语 ロシア語
        ukrainian ukrainisch* украинск* 乌克兰语
        turkish turkisch* turc turque turco turca турецк* 土耳其语 トルコ語
        greek griechisch* grec grecque griego griega греческ* 希腊语
        arabic arabisch* arabe arabo арабск* 阿拉伯语 アラビア語
        chinese chinesisch* chinois* chino cinese китайск* 中文 汉语 中国語
        japanese japanisch* japonais* japones* giapponese японск* 日语 日本語
        korean koreanisch* coreen* coreano корейск* 韩语 韓国語
        swedish schwedisch* suedois* sueco шведск* 瑞典语
        danish danisch* danois* datsk* датск*
        norwegian norwegisch* norvegien* норвежск*
        czech tschechisch* tcheque* checo чешск*
        hungarian ungarisch* hongrois* hungaro венгерск*
        latin latein* latino латын* 拉丁语 ラテン語
        hindi хинди
        welsh basque basko catalan* katalanisch*
        粤语 普通话 上海话
    """,
    "materials": """
        leather* leder* cuir cuero cuoio кож* 皮革 真皮
        velvet* samt* velours terciopelo velluto бархат* 丝绒
        cotton baumwoll* coton algodon cotone хлоп* 棉 綿
        wool* wolle* laine lana шерст* 羊毛 ウール
        linen leinen* lin lino лен льна 亚麻
        silk* seide* soie seda seta шелк* 丝绸 絹
        wood wooden holz* bois madera legno дерев* 木头 木製
        metal metall* metallo металл*
        steel stahl* acier acero acciaio сталь* 钢 鋼
        glass glas verre vidrio vetro стекл* 玻璃 ガラス
        plastic plastik* plastique* plastico пластик* 塑料 プラスチック
        gold goldene* dore oro золот* 黄金 金の
        silver silber* argent plata argento серебр* 银 銀
        stone steinern* pierre piedra pietra камен* 石头
        brick* backstein* ziegel* brique* ladrillo* кирпич*
    """,
    "rooms": """
        kitchen* kuche cuisine* cocina* cucin* кухн* 厨房 キッチン 台所
        bathroom* badezimmer* salle-de-bain bano banos bagno ванн* 浴室 お風呂
        bedroom* schlafzimmer* chambre* dormitorio* habitacion* camera* спальн* 卧室 寝室
        wohnzimmer* salon salons salotto гостин* 客厅 リビング 居間
        hallway* corridor* flur flure couloir* pasillo* corridoio прихож* 走廊 廊下
        cellar* basement* keller* sotano* cantina подвал* 地下室
        attic* dachboden* grenier* desvan* atico soffitta чердак* 阁楼 屋根裏
        garage* garaje* гараж* 车库 ガレージ
        garden* garten jardin* giardin* сад сада саду 花园 庭
        balcony* balkon* balcon* балкон* 阳台 ベランダ
        buro arbeitszimmer* bureau despacho* oficina* ufficio кабинет* 书房 書斎
        nursery kinderzimmer*
    """,
    "foods": """
        peanut* erdnuss* erdnusse* cacahuete* cacahuet* arachid* арахис* 花生 ピーナッツ
        walnut* walnuss* walnusse* noix nuez nueces noci грецк* 核桃 クルミ
        hazelnut* haselnuss* haselnusse* noisette* avellana* nocciol* фундук* 榛子 ヘーゼルナッツ
        almond* mandel mandeln amande* almendra* mandorl* миндал* 杏仁 アーモンド
        cashew* кешью 腰果 カシューナッツ
        egg eggs ei eier oeuf* huevo* uovo uova яйц* яиц* 鸡蛋 卵
        wheat weizen* ble trigo grano пшениц* 小麦
        soy soja* соя сои 大豆
        shrimp* prawn* garnele* crevette* gamba* gamber* креветк* 虾 エビ 海老
        crab* krabbe* crabe* cangrejo* granch* краб* 螃蟹 カニ
        oyster* auster* huitre* ostra* ostrich* устриц* 牡蛎 牡蠣
        salmon* lachs* saumon* salmon* лосос* 三文鱼 サーモン 鮭
        tuna thunfisch* thon atun tonno тунец* 金枪鱼 マグロ
        beef rind* rindfleisch* boeuf ternera manzo говядин* 牛肉
        pork schweinefleisch* porc cerdo maiale свинин* 猪肉 豚肉
        lamb lamm* agneau cordero agnello баранин* 羊肉 ラム肉
        chicken* hahnchen* poulet* pollo* курятин* 鸡肉 鶏肉
        strawberr* erdbeer* fraise* fresa* fragol* клубник* 草莓 いちご
        apple* apfel* pomme* manzana* mela mele яблок* 苹果 りんご
        banana* banane* platano* банан* 香蕉 バナナ
        orange* orangen naranja* aranc* апельсин* 橙子 みかん
        kiwi* киви 猕猴桃 キウイ
        tomato* tomate* pomodor* помидор* 番茄 トマト
        mushroom* pilz* champignon* seta* fungh* гриб* 蘑菇 きのこ
        garlic knoblauch* ail ajo aglio чеснок* 大蒜 ニンニク
        onion* zwiebel* oignon* cebolla* cipoll* лук лука 洋葱 玉ねぎ
        rice reis riz arroz riso рис риса 米饭 ご飯
        pasta nudeln* pates fideos макарон* 面条 パスタ
        bread brot brote pain pane хлеб* 面包 パン
        cheese* kase fromage* queso* formaggi* сыр сыра 奶酪 チーズ
        yoghurt* yogurt* joghurt* yaourt* йогурт* 酸奶 ヨーグルト
        香菜 coriander koriander coriandre cilantro кинз* パクチー
    """,
    "meals": """
        breakfast* fruhstuck* petit-dejeuner desayun* colazion* завтрак* 早餐 早饭 朝食 朝ごはん
        lunch* mittagessen* dejeuner* almuerz* almorz* pranz* обед* 午餐 午饭 昼食 昼ごはん
        dinner* supper* abendessen* abendbrot* diner* cena cenas cenar ужин* 晚餐 晚饭 夕食 晩ごはん
        snack* gouter* merienda* merend* перекус* 夜宵 おやつ
    """,
    "vehicles": """
        car cars auto autos wagen voiture* coche* macchina машин* 汽车 開車 开车
        bike bikes bicycle* fahrrad* rad velo velos bici* bicicleta* bicicletta велосипед* 自行车 单车 骑车 自転車
        motorbike* motorcycle* motorrad* moto motos мотоцикл* 摩托 摩托车 バイク
        bus buses bussen autobus* автобус* 公交 公交车 バス
        tram trams strassenbahn* tranvia* трамва* 电车 路面電車
        train trains zug zuge bahn tren trenes treno поезд* электричк* 火车 高铁 電車
        metro metros subway u-bahn underground metropolitana метро 地铁 地下鉄
        ferry ferries fahre* transbordador traghett* паром* 渡轮 フェリー
        plane planes flugzeug* avion* aereo самолет* 飞机 飛行機
        scooter* roller trottinette* patinete* самокат*
        foot walks walk zu-fuss pied caminando пешком 走路 歩いて 徒歩
    """,
    "body": """
        knee* knie* genou* rodilla* ginocchi* колен* 膝盖 膝
        shoulder* schulter* epaule* hombro* spall* плеч* 肩膀 肩
        rucken* espalda* schiena спин* 后背 背中
        hip hips hufte* hanche* cadera* anca бедр* 髋 股関節
        ankle* knochel* cheville* tobillo* cavigli* щиколотк* лодыжк* 脚踝 足首
        elbow* ellbogen* ellenbogen* coude* codo* gomit* локт* 手肘 肘
        wrist* handgelenk* poignet* muneca* запясть* 手腕 手首
        neck nacken* шея шеи шею cou cuello collo 脖子
        eye eyes auge* oeil yeux ojo* occhi* глаз* 眼睛
        ear ears ohr* ухо уши oreille* oido* orecchi* 耳朵
        heart herz* coeur* corazon* cuore сердц* 心脏 心臓
        kidney* niere* rinon* почк* 腎臓
        liver leber* foie higado fegato печен* 肝臓
        lung* poumon* pulmon* polmon* легк*
    """,
    "studies": """
        law jura droit derecho giurisprudenza юриспруденц* юрист* 法律 法学
        medicine medizin* medecine medicina медицин* 医学
        physics physik* physique fisica физик* 物理
        chemistry chemie* chimie quimica chimica хими* 化学
        biology biologie* biologia биолог* 生物
        maths math mathematics mathe* mathemat* mathematiques matematic* математик* 数学
        geschicht* histoire historia storia истори* 历史 歴史
        geography erdkunde* geographie* geografia географ* 地理
        economics vwl bwl economie economia экономик* 经济 経済
        psychology psychologie* psicolog* психолог* 心理
        architecture architektur* arquitectura architettura архитектур* 建筑 建築
        philosophy philosophie* filosof* философ* 哲学
        music musik* musique musica музык* 音乐 音楽
        engineering ingenieur* ingenierie ingenieria ingegneria инженер* 工程 工学
        bellas-artes beaux-arts искусств* 美术 美術
    """,
    "family": """
        eldest oldest alteste* ainee* mayor 长女 长子 長女 長男 старш*
        youngest jungste* cadet* benjamin* 次女 次子 次男 младш*
    """,
}
"""Category -> its things, one a line."""
